/* The engine of the search dialog, loaded when that is first opened. It defines

     opsetdocsSearch(site: URL) -> Promise<{search(query: string, early?) -> Promise<Array<Result>>}>

   where a result is {address, title, mark, place, why, text}: the address is relative to the site's root; mark (a
   status), place (what it belongs to), why (the attribute or type to which the address leads) and text (a line about
   it) may be empty; text may be a promise of it. `early` is called with the first results, if the names alone tell
   them, while the words of texts are still being loaded.

   The index is made by src/opsetdocs/search_index.py. It is a set of scripts, because a page that is opened from disk
   may load scripts, but may not read other files. */
(function () {
  "use strict";
  const FOLDER = "assets/opsetdocs-search/";
  const MOST = 30;
  const SOME = 8; // names in a line
  const LINES = 50; // in each script of lines
  const LEAST_BEGINNING = 3; // letters, for words that begin with what is asked for
  const LEAST_NEAR = 4; // letters, for words that differ in one

  /* How well a document fits, the best first: operators, domains and opsets by name; operators by their text; other
     pages; and what differs by a letter only if there is nothing else. */
  const [EXACT, BEGINNING, WORD, INSIDE, SHORT, DOMAIN] = [0, 1, 2, 3, 4, 5];
  const [ENTRY, EXACT_PAGE, TEXT, SET, TITLE, PAGE, NEAR_NAME, NEAR_TEXT] = [6, 7, 8, 9, 10, 11, 12, 13];
  const LEAST_INSIDE = 3; // letters, or `ml` would be in RandomUniformLike

  /* How much a word counts that is in a name; in texts it counts 1 to 4. Twice as much if it is the whole word. */
  const IN_NAME = 5;
  const IN_PLACE = 1;
  const TEXT_ALONE = 1; // neither in what an operator does in a sentence, nor in its signature
  const ALL_SAY_MUCH = 10; // is added if no word of several counts as little as that
  const MOST_OF_FORM = 3; // another form of a word says no more than one that begins with it, in a summary
  const NAME = 4; // in texts: the whole name of an attribute, an input or an output
  const KINDS = ["attribute", "input", "output", "type"]; // in the order of the index

  /* ---- Words: the same as in src/opsetdocs/search_terms.py ---- */

  const SEPARATORS =
    "\\u0000-\\u002f\\u003a-\\u0040\\u005b-\\u005e\\u0060\\u007b-\\u00bf\\u00d7\\u00f7\\u05be\\u060c\\u061b\\u061f" +
    "\\u0964\\u0965\\u2000-\\u206f\\u20a0-\\u20cf\\u2190-\\u2bff\\u2e00-\\u2e7f\\u3000-\\u3004\\u3008-\\u3020\\u3030" +
    "\\u303d-\\u303f\\u30fb\\ufe00-\\ufe6f\\ufffd\\u{1f000}-\\u{1faff}";
  const DENSE =
    "\\u0e00-\\u0eff\\u1000-\\u109f\\u1780-\\u17ff\\u3040-\\u30fa\\u30fc-\\u30ff\\u3400-\\u4dbf\\u4e00-\\u9fff" +
    "\\uac00-\\ud7af\\uf900-\\ufaff\\u{20000}-\\u{3ffff}";
  const RUNS = new RegExp(`[${DENSE}]+|[^${DENSE}${SEPARATORS}]+`, "gu");
  const IS_DENSE = new RegExp(`^[${DENSE}]`, "u");
  const HUMPS = /_+|(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/;

  const runsOf = (text) => text.normalize("NFKC").match(RUNS) || [];

  function partsOf(run) {
    return run
      .split(HUMPS)
      .filter(Boolean)
      .map((part) => part.toLowerCase());
  }

  /** The words of a text, each as its parts: of LogSoftmax log and softmax, of most words one. */
  function termsOf(text) {
    return runsOf(text).flatMap(function (run) {
      if (!IS_DENSE.test(run)) {
        const parts = partsOf(run);
        return parts.length ? [parts] : [];
      }
      const characters = Array.from(run);
      const last = Math.max(1, characters.length - 1);
      return characters.slice(0, last).map((character, at) => [character + (characters[at + 1] ?? "")]);
    });
  }

  /** A name as it is compared: its parts without anything between, and where in that each of them begins. */
  function keyOf(text) {
    const starts = [];
    let key = "";
    for (const part of runsOf(text).flatMap(partsOf)) {
      starts.push(key.length);
      key += part;
    }
    return { key, starts };
  }

  // Of at least four letters, the fewest after which what is left is an ending.
  const ENDING = /^([a-z]{4,}?)(?:ying|ie[sd]|y|ices|ix|(?:ic)?(?:at|t)?(?:ions?|ings?|e[sd]?)|ts?|s)$/;

  /** What the forms of an English word have in common: of multiply, multiplied and multiplication `multipl`. */
  const stemOf = (word) => ENDING.exec(word)?.[1] ?? word;

  /** Whether two words differ by one letter: another one, one more or less, or two neighbours changed about. */
  function areNear(one, other) {
    const [short, long] = one.length <= other.length ? [one, other] : [other, one];
    if (long.length - short.length > 1) {
      return false;
    }
    let at = 0;
    while (at < short.length && short[at] === long[at]) {
      at++;
    }
    const rest = (text, from) => text.slice(at + from);
    return short.length < long.length
      ? rest(short, 0) === rest(long, 1)
      : rest(short, 1) === rest(long, 1) ||
          (short[at] === long[at + 1] && short[at + 1] === long[at] && rest(short, 2) === rest(long, 2));
  }

  /* ---- The index ---- */

  const USUAL = "stable"; // the status that sets no operator apart

  /** Load a script of the index, and return what it holds. */
  function load(site, name) {
    return new Promise(function (resolve, reject) {
      const script = document.createElement("script");
      script.src = new URL(`${FOLDER}${name}.js`, site);
      script.addEventListener("load", () => resolve(window.opsetdocsSearchData[name]));
      script.addEventListener("error", () => reject(new Error("a part of its index cannot be loaded")));
      document.head.append(script);
    });
  }

  /** What stands for a part of an address in ids. */
  const asId = (segment) => segment.replaceAll("~", "_").replace(/^\d/, "_$&");

  /** All operators and pages, in the order of their numbers in the index. */
  function documentsOf(names) {
    const { index, marks, section } = names;
    const markKeys = marks.map((mark) => keyOf(mark === USUAL ? "" : mark));
    const operators = names.domains.flatMap(([domain, address, , , entries], order) =>
      entries.map(function ([title, mark, versions, segment = title]) {
        const folder = `${section}${address}operators/${segment}/`;
        return {
          isOperator: true,
          title,
          order,
          place: domain,
          mark: marks[mark],
          markKey: markKeys[mark],
          address: folder + index,
          id: `${asId(address.slice(0, -1))}.${asId(segment)}`,
          // A version is a number, or with a mark of its own a number and that.
          versions: () =>
            versions
              .map((version) => (Array.isArray(version) ? version : [version, mark]))
              .map(([number, own]) => ({ number, mark: marks[own], address: `${folder}${number}/${index}` })),
          // The page that compares two versions; of many versions, only neighbours have one.
          difference: (old, current) => `${folder}${old}-${current}/${index}`,
          hasAllDifferences: versions.length <= names.pairs,
        };
      }),
    );
    const order = names.domains.length;
    const domains = names.domains.map(([, address]) => section + address);
    const pages = names.pages.map(function ([title, place, address, isOpset]) {
      const domain = domains.find((folder) => address.startsWith(folder));
      const isDomain = address === domain + index;
      const isSet = domain !== undefined || address === section + index;
      // What the title of an opset's page says, its number says as well: see `byOpset`.
      return { title, place, address, isSet, isDomain, isOpset, order };
    });
    return [...operators, ...pages].map((entry, number) => ({
      ...entry,
      number,
      ...keyOf(entry.title),
      placeKey: keyOf(entry.place),
    }));
  }

  const wordsOf = ({ key, starts }) => starts.map((start, at) => key.slice(start, starts[at + 1]));
  const beginsWord = ({ key, starts }, part) => starts.some((start) => key.startsWith(part, start));

  /* ---- Names ---- */

  /** How well the name of a document fits what is asked for; nothing if it does not. */
  function fit(entry, { joined, parts }) {
    if (!entry.isOperator) {
      return fitOfPage(entry, joined, parts);
    }
    if (entry.key === joined || entry.placeKey.key + entry.key === joined) {
      return EXACT;
    }
    if (entry.key.startsWith(joined)) {
      return BEGINNING;
    }
    if (beginsWord(entry, joined)) {
      return WORD;
    }
    if (joined.length >= LEAST_INSIDE && parts.every((part) => entry.key.includes(part))) {
      return INSIDE;
    }
    return parts.length > 1 && shortens(wordsOf(entry), parts) ? SHORT : undefined;
  }

  /** Whether words of a name, one after the other, are short for some words: MatMul for `matrix multiply`. */
  function shortens(own, words) {
    const isBeginning = (part, word) => part === word || (part.length >= LEAST_BEGINNING && word.startsWith(part));
    const isShort = (part, word) => part[0] === word[0] && (isBeginning(part, word) || stemOf(part) === stemOf(word));
    return own.some((_, start) => words.every((word, at) => start + at < own.length && isShort(own[start + at], word)));
  }

  function fitOfPage(entry, joined, parts) {
    if (entry.key === joined) {
      return entry.isSet ? EXACT : EXACT_PAGE;
    }
    if (entry.isOpset || !parts.every((part) => beginsWord(entry, part))) {
      return undefined;
    }
    return entry.isDomain ? DOMAIN : entry.isSet ? SET : TITLE;
  }

  /** Operators and pages by their names. */
  function* byName(documents, asked) {
    for (const entry of documents) {
      const rank = fit(entry, asked);
      if (rank !== undefined) {
        yield { entry, rank };
      }
    }
  }

  /** Versions of operators, for a query that ends in a number: `Conv-11`, `conv11`, `softmax 13`. */
  function* byVersion(documents, { joined, parts }) {
    const isApart = parts.length > 1 && /^\d+$/.test(parts.at(-1));
    const digits = isApart ? parts.at(-1) : /\d*$/.exec(joined)[0];
    const name = joined.slice(0, joined.length - digits.length);
    if (!digits || !name) {
      return;
    }
    const asked = { joined: name, parts: isApart ? parts.slice(0, -1) : [name] };
    for (const { entry, rank } of byName(documents, asked)) {
      if (!entry.isOperator || (rank !== EXACT && !isApart)) {
        continue;
      }
      const version = versionOf(entry, Number(digits));
      if (version.isThere || rank === EXACT) {
        yield { entry, rank, ...version };
      }
      if (rank === EXACT) {
        yield { entry, rank: BEGINNING };
      }
    }
  }

  /** The last of some numbers that is not above another; if all are above it, the first. */
  const upTo = (numbers, wanted) => numbers.findLast((number) => number <= wanted) ?? numbers[0];

  /** Which of some numbers is there in the place of one that is not. */
  function instead(numbers, wanted) {
    const number = upTo(numbers, wanted);
    const before = number === numbers.at(-1) ? "the newest one" : "the one before it";
    return `${number > wanted ? "the first one" : before} is ${number}.`;
  }

  /** The result for a version; if there is none of this number, for the one before it. */
  function versionOf({ title: name, versions: all }, wanted) {
    const versions = all();
    const newest = versions.at(-1);
    const numbers = versions.map(({ number }) => number);
    const { number, mark, address } = versions[numbers.indexOf(upTo(numbers, wanted))];
    const title = `${name}-${number}`;
    const isThere = number === wanted;
    if (!isThere) {
      return { isThere, title, mark, address, text: `${name} has no version ${wanted}: ${instead(numbers, wanted)}` };
    }
    const old = `An older version of ${name}: the current one is ${newest.number}.`;
    return { isThere, title, mark, address, text: number === newest.number ? undefined : old };
  }

  const OF_DIFFERENCES = new Set(["version", "versions", "from", "to", "and", "vs", "versus", "compare", "diff"]);
  const LINKS = Array.from(OF_DIFFERENCES).join("|");
  const TWO_VERSIONS = new RegExp(`^(.+?) (\\d+)(?: (?:${LINKS}))* (\\d+)$`);

  /** What changed between two versions of an operator: `Conv 1 to 11`, `Conv-1-11`, `compare conv 11 and 1`. */
  function* byDifference(documents, { parts }) {
    const match = TWO_VERSIONS.exec(parts.join(" "));
    if (!match) {
      return;
    }
    const [, name, ...numbers] = match;
    const words = name.split(" ");
    // An operator may be called Compare, or And.
    const called = [words.join(""), words.filter((word) => !OF_DIFFERENCES.has(word)).join("")];
    for (const entry of documents) {
      if (entry.isOperator && (called.includes(entry.key) || called.includes(entry.placeKey.key + entry.key))) {
        yield* differenceOf(entry, numbers.map(Number));
      }
    }
  }

  /** The results for two versions: how they differ, and each of them. */
  function* differenceOf(entry, wanted) {
    const numbers = entry.versions().map(({ number }) => number);
    const [old, current] = wanted.map((number) => upTo(numbers, number)).sort((one, other) => one - other);
    const missing = wanted.filter((number) => !numbers.includes(number));
    const absent = missing.map((number) => `${entry.title} has no version ${number}: ${instead(numbers, number)}`);
    const areNeighbours = numbers.indexOf(current) === numbers.indexOf(old) + 1;
    if (old !== current && (entry.hasAllDifferences || areNeighbours)) {
      const text = absent.join(" ") || `What changed between versions ${old} and ${current} of ${entry.title}.`;
      const title = `${entry.title} ${old} to ${current}`;
      yield { entry, rank: EXACT, title, mark: "", address: entry.difference(old, current), text };
    }
    for (const number of new Set([...wanted].sort((one, other) => other - one))) {
      yield { entry, rank: BEGINNING, ...versionOf(entry, number) };
    }
  }

  const OF_STATUS = new Set(["operator", "operators", "op", "ops", "all", "in", "of"]);

  /** The operators of a status that sets them apart, in all domains or in one: `experimental`, `deprecated ai.onnx`. */
  function* byStatus(names, documents, { parts }) {
    for (const mark of names.marks.filter((mark) => mark !== USUAL)) {
      const words = mark.split(" ");
      const others = parts.filter((part) => !words.includes(part) && !OF_STATUS.has(part));
      if (!words.every((word) => parts.includes(word))) {
        continue;
      }
      for (const [order, [domain, address]] of names.domains.entries()) {
        const those = documents.filter((entry) => entry.isOperator && entry.order === order && entry.mark === mark);
        if (!those.length || !others.every((word) => beginsWord(keyOf(domain), word))) {
          continue;
        }
        const title = `${domain}: ${those.length} ${mark} operator${those.length === 1 ? "" : "s"}`;
        const table = `${names.section}${address}${names.index}#status=${mark.replace(" ", "-")}`;
        const some = those.slice(0, SOME).map(({ title }) => title);
        const text = [...some, ...(those.length > SOME ? ["\u2026"] : [])].join(", ");
        yield { entry: { title, address: table, order, key: title, place: domain }, rank: EXACT, text };
        yield* those.map((entry) => ({ entry, rank: BEGINNING }));
      }
    }
  }

  const OF_OPSETS = new Set(["opset", "opsets", "version", "versions", "upgrade", "upgrading", "from", "to", "moving"]);

  /** The pages of all opsets of domains, for a query that asks for opsets and for nothing else but a domain. */
  function* byOpsets(names, documents, { parts }) {
    const others = parts.filter((part) => !["opset", "opsets"].includes(part));
    if (others.length === parts.length) {
      return;
    }
    for (const [domain, address] of names.domains) {
      const page = `${names.section}${address}opsets/${names.index}`;
      const entry = documents.find((entry) => entry.address === page);
      if (entry && others.every((word) => beginsWord(keyOf(domain), word))) {
        yield { entry, rank: EXACT };
      }
    }
  }

  /** Opsets by number, and moving from one to another: `opset 17`, `17 to 22`, `ai.onnx.ml 3`. */
  function* byOpset(names, { parts }) {
    const pieces = parts.flatMap((part) => part.match(/\d+|\D+/g)); // `opset17` is one part
    const numbers = pieces.filter((piece) => /^\d/.test(piece)).map(Number);
    const words = pieces.filter((piece) => /^\D/.test(piece));
    const others = words.filter((word) => !OF_OPSETS.has(word));
    if (numbers.length < 1 || numbers.length > 2) {
      return;
    }
    const domains = names.domains
      .map(([domain, address, opsets, hasAll], order) => ({ domain, address, opsets, hasAll, order }))
      .filter(({ domain }) => others.every((word) => beginsWord(keyOf(domain), word)))
      .map((item) => ({ ...item, known: numbers.filter((number) => item.opsets.includes(number)).length }));
    const most = Math.max(...domains.map(({ known }) => known));
    if (most < numbers.length && !words.some((word) => word.length > 1)) {
      return; // A number without a word may be anything.
    }
    for (const item of domains.filter(({ known }) => known === most)) {
      yield* opsetsOf(names, item, numbers);
    }
  }

  /** The results for one or two opsets of a domain. For one that is not known, the one before it stands in. */
  function* opsetsOf({ section, index }, { domain, address, opsets, hasAll, order }, wanted) {
    const folder = `${section}${address}opsets/`;
    const missing = [...new Set(wanted)].filter((number) => !opsets.includes(number));
    const sayWhy = (number) => `Opset ${number} of ${domain} is not known here: ${instead(opsets, number)}`;
    const unknown = missing.map(sayWhy).join(" ");
    const [old, latest = old] = wanted.map((number) => upTo(opsets, number)).sort((one, other) => one - other);
    const rank = missing.length ? DOMAIN : EXACT;
    const result = (title, address, rank, text) => ({
      entry: { title, address, order, key: title, place: domain },
      rank,
      text,
    });
    if (old !== latest) {
      const hasPage = hasAll || opsets.indexOf(latest) === opsets.indexOf(old) + 1;
      const page = hasPage ? `${old}-${latest}/${index}` : `${index}#from=${old}&to=${latest}`;
      const text = unknown || `What moving from opset ${old} to ${latest} of ${domain} means.`;
      yield result(`${domain}: opset ${old} to ${latest}`, folder + page, rank, text);
    }
    const [is, about] = old === latest ? [rank, unknown] : [TITLE, ""];
    for (const number of new Set([latest, old])) {
      const text = about || `What opset ${number} of ${domain} brought, and every operator in it.`;
      yield result(`${domain} opset ${number}`, `${folder}${number}/${index}`, is, text);
    }
  }

  /** Operators with a name, or a word of a name, that differs in one letter. */
  function* byNearName(documents, { joined }) {
    for (const entry of joined.length >= LEAST_NEAR ? documents : []) {
      if (entry.isOperator && [entry.key, ...wordsOf(entry)].some((word) => areNear(word, joined))) {
        yield { entry, rank: NEAR_NAME };
      }
    }
  }

  /* ---- Words of texts ---- */

  /** The documents of which a word is in the name, or in that of what they belong to, with what it counts. */
  function inNames(documents, word) {
    const found = new Map();
    for (const entry of documents) {
      const isInside = entry.isOperator && word.length >= LEAST_INSIDE && entry.key.includes(word);
      const isThere = isInside || beginsWord(entry, word);
      const isAbout = beginsWord(entry.placeKey, word) || (entry.isOperator && beginsWord(entry.markKey, word));
      const count = isThere ? IN_NAME : isAbout ? IN_PLACE : 0;
      if (count) {
        found.set(entry.number, 2 * count);
      }
    }
    return found;
  }

  /** Texts that hold a word. */
  function wordIndex(site, shelves) {
    const loaded = new Map();

    function shelf(at) {
      if (!loaded.has(at)) {
        const content = load(site, shelves[at][1]);
        content.catch(() => loaded.delete(at)); // The next query tries again.
        loaded.set(at, content);
      }
      return loaded.get(at);
    }

    /** What stands between a word and the words that begin with it. */
    function shelvesOf(word, isWhole) {
      const ends = isWhole ? word : `${word}\uffff`;
      return [...shelves.keys()].filter((at) => shelves[at][0] <= ends && !(shelves[at + 1]?.[0] <= word));
    }

    /** Documents with a word, one that begins with it or another form; or else, if that is asked for, a near one. */
    return async function (word, orNear) {
      const isWhole = word.length < LEAST_BEGINNING && !IS_DENSE.test(word);
      const stem = stemOf(word); // Every form of the word begins with it.
      const contents = await Promise.all(shelvesOf(stem, isWhole).map(shelf));
      const all = contents.flatMap(Object.entries);
      const isForm = (known) => known.startsWith(stem) && (known.startsWith(word) || stemOf(known) === stem);
      let fitting = all.filter(([known]) => (isWhole ? known === word : isForm(known)));
      if (orNear && !fitting.length && word.length >= LEAST_NEAR) {
        fitting = all.filter(([known]) => areNear(known, word));
      }
      const found = new Map();
      for (const [known, steps] of fitting) {
        const most = known.startsWith(word) ? Infinity : MOST_OF_FORM;
        let place = 0;
        for (const step of steps) {
          place = (place & ~3) + step;
          const count = 2 * ((place & 3) + 1) - (known === word ? 0 : 1);
          found.set(place >> 2, Math.max(Math.min(count, most), found.get(place >> 2) ?? 0));
        }
      }
      return found;
    };
  }

  /** What is in any of two sets of documents; what it counts is the greater. */
  function either(one, other) {
    const found = new Map(one);
    for (const [number, count] of other) {
      found.set(number, Math.max(count, found.get(number) ?? 0));
    }
    return found;
  }

  /** What is in all of some sets of documents; what it counts is added up, and is more if each counts much. */
  function every([first, ...others]) {
    const found = new Map();
    for (const [number, count] of first) {
      if (others.every((other) => other.has(number))) {
        const counts = [count, ...others.map((other) => other.get(number))];
        const more = counts.length > 1 && Math.min(...counts) > 2 * TEXT_ALONE ? ALL_SAY_MUCH : 0;
        found.set(number, counts.reduce((sum, other) => sum + other, more));
      }
    }
    return found;
  }

  /* ---- Why an operator was found ---- */

  /** The entries of an operator, in the form that the index gives them, with their kinds. */
  function* entriesOf(kinds, types) {
    for (const [at, kind] of KINDS.entries()) {
      const items = kinds[at] ?? [];
      for (let i = 0; i < items.length; i += 2) {
        const [name, id = name] = [].concat(items[i]);
        yield { kind, name, id: `${kind}.${id}`, types: types[items[i + 1]] };
      }
    }
  }

  /* How well a type fits some words, the best first: it is these, has all of them, or words that begin with them. */
  const TYPE_FITS = [
    (type, words) => type.key === words.join(""),
    (type, words) => words.every((word) => type.key === word || wordsOf(type).includes(word)),
    (type, words) => words.every((word) => wordsOf(type).some((own) => own.startsWith(word))),
  ];

  /** The entry for which an operator was found, and why: by its name, by a type, by a part of its name. */
  function reason(entry, kinds, types, { joined, terms }) {
    const all = terms.map((parts) => parts.join(""));
    const words = all.filter((word) => !inNames([entry], word).size); // What its own name does not explain.
    const entries = Array.from(entriesOf(kinds, types));
    const constraints = entries.filter(({ kind }) => kind === "type");
    const named = entries.filter(({ kind }) => kind !== "type");

    function byName(fits) {
      const item = named.find(({ name }) => fits(keyOf(name).key));
      return item && { id: item.id, why: `${item.kind} ${item.name}` };
    }

    function byType(words) {
      for (const fits of TYPE_FITS) {
        for (const { kind, name, id, types } of [...constraints, ...named]) {
          const type = types.find((type) => fits(keyOf(type), words));
          if (type) {
            return { id, why: kind === "type" ? `type ${type} of ${name}` : `${kind} ${name}: ${type}` };
          }
        }
      }
      return undefined;
    }

    const whole = byName((key) => key === joined || (words.length === 1 && key === words[0]));
    if (whole || !words.length) {
      return whole;
    }
    return (
      byType(all) ??
      byType(words) ??
      byName((key) => words.every((word) => key.includes(word))) ??
      byName((key) => words.includes(key)) ??
      byName((key) => words.every((word) => word.length >= LEAST_NEAR && areNear(key, word)))
    );
  }

  /* ---- The search ---- */

  function compare(one, other) {
    const [a, b] = [one.entry, other.entry];
    return (
      one.rank - other.rank ||
      !a.isOperator - !b.isOperator ||
      (other.count ?? 0) - (one.count ?? 0) ||
      a.key.length - b.key.length ||
      a.order - b.order ||
      (a.title < b.title ? -1 : Number(a.title > b.title))
    );
  }

  window.opsetdocsSearch = async function (site) {
    const names = await load(site, "names");
    const documents = documentsOf(names);
    const skipped = new Set(names.skipped);
    const textsWith = wordIndex(site, names.words);
    const details = new Map();

    /** What is said about a document: its line, its entries by kind, and all types that those refer to. */
    async function detailsOf(number) {
      const at = Math.floor(number / LINES);
      if (!details.has(at)) {
        const content = load(site, names.lines[at]);
        content.catch(() => details.delete(at)); // The next query tries again.
        details.set(at, content);
      }
      const [items, types] = await details.get(at);
      const [line, ...kinds] = [].concat(items[number % LINES]);
      return { line, kinds, types };
    }

    /** Documents that have all words; a name counts more as it stands than by its parts, and leaves those out. */
    async function byText({ terms, joined }, { isNamed = false, isNear = false } = {}) {
      const documentsWith = async (word) => either(inNames(documents, word), await textsWith(word, isNear));
      const whole = await textsWith(joined);
      const named = new Set([...whole].filter(([, count]) => count === 2 * NAME).map(([number]) => number));
      const wanted = terms.filter((term) => !(term.length === 1 && skipped.has(term[0])));
      let found = scaled(whole, wanted.length + 1);
      if (wanted.length && !(wanted.length > 1 && (isNamed || named.size))) {
        const sets = await Promise.all(
          wanted.map(async function (parts) {
            const joint = parts.length > 1 ? await documentsWith(parts.join("")) : new Map();
            return joint.size
              ? scaled(joint, parts.length + 1)
              : every(await Promise.all(parts.map(documentsWith)));
          }),
        );
        found = either(every(sets), wanted.length > 1 ? found : []);
      }
      return Array.from(found, function ([number, count]) {
        const entry = documents[number];
        const rank = !entry.isOperator ? (entry.isSet ? SET : PAGE) : named.has(number) ? ENTRY : TEXT;
        return { entry, rank: isNear ? NEAR_TEXT : rank, count };
      });
    }

    function scaled(found, by) {
      return new Map(Array.from(found, ([number, count]) => [number, count * by]));
    }

    /** The best of what was found, each page once; `isCut` says that these are not all. */
    function best(found) {
      const once = new Map();
      for (const item of found.sort(compare)) {
        const address = item.address ?? item.entry.address;
        if (!once.has(address)) {
          once.set(address, item);
        }
      }
      const items = Array.from(once.values());
      return Object.assign(items.slice(0, MOST), { isCut: items.length > MOST });
    }

    function result({ entry, address, title, mark, text }) {
      const line = () => detailsOf(entry.number).then(({ line }) => line, () => "");
      return {
        address: address ?? entry.address,
        title: title ?? entry.title,
        mark: mark ?? entry.mark ?? "",
        place: entry.place,
        why: "",
        text: text ?? (entry.number === undefined ? "" : line()),
      };
    }

    /** The result for an operator that was found by its text: it leads to what was found, if that has an id. */
    async function resultOfText(item, asked) {
      const { entry } = item;
      const { line, kinds, types } = await detailsOf(entry.number).catch(() => ({ line: "", kinds: [], types: [] }));
      const { id, why = "" } = reason(entry, kinds, types, asked) ?? {};
      const address = id ? `${entry.address}#${entry.id}.${id}` : entry.address;
      return { ...result({ ...item, address, text: line }), why };
    }

    const isOfText = ({ entry, rank }) => entry.isOperator && [ENTRY, TEXT, NEAR_TEXT].includes(rank);

    return {
      async search(query, early) {
        const terms = termsOf(query);
        const { key: joined, starts } = keyOf(query);
        const asked = { terms, joined, parts: wordsOf({ key: joined, starts }) };
        if (!joined) {
          return [];
        }
        const named = [
          ...byStatus(names, documents, asked),
          ...byOpsets(names, documents, asked),
          ...byOpset(names, asked),
          ...byDifference(documents, asked),
          ...byVersion(documents, asked),
          ...byName(documents, asked),
        ];
        // Operators that are found by their texts come after these, and before other pages.
        const first = best(named.filter(({ rank }) => rank <= DOMAIN));
        if (first.length) {
          early?.(Object.assign(first.map(result), { isCut: first.isCut }));
        }
        const isNamed = named.some(({ entry, rank }) => entry.isOperator && rank === EXACT);
        let found = [...named, ...(await byText(asked, { isNamed }))];
        if (!found.length) {
          found = [...byNearName(documents, asked), ...(await byText(asked, { isNear: true }))];
        }
        const shown = best(found);
        const results = shown.map((item) => (isOfText(item) ? resultOfText(item, asked) : result(item)));
        return Object.assign(await Promise.all(results), { isCut: shown.isCut });
      },
    };
  };
  window.opsetdocsSearch.termsOf = termsOf;
})();
