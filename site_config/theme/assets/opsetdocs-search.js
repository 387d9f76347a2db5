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
  const LINES = 50; // in each script of lines
  const LEAST_BEGINNING = 3; // letters, for words that begin with what is asked for
  const LEAST_NEAR = 4; // letters, for words that differ in one

  /* How well a document fits, the best first: operators, domains and opsets by name; operators by their text; other
     pages; and what differs by a letter only if there is nothing else. */
  const [EXACT, BEGINNING, WORD, INSIDE, DOMAIN] = [0, 1, 2, 3, 4];
  const [ENTRY, EXACT_PAGE, TEXT, SET, TITLE, PAGE, NEAR_NAME, NEAR_TEXT] = [5, 6, 7, 8, 9, 10, 11, 12];
  const LEAST_INSIDE = 3; // letters, or `ml` would be in RandomUniformLike

  /* How much a word counts that is in a name; in texts it counts 1 to 4. Twice as much if it is the whole word. */
  const IN_NAME = 5;
  const IN_PLACE = 1;
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
    const operators = names.domains.flatMap(([domain, address, , , entries], order) =>
      entries.map(function ([title, mark, versions, segment = title]) {
        const folder = `${section}${address}operators/${segment}/`;
        return {
          isOperator: true,
          title,
          order,
          place: domain,
          mark: marks[mark],
          address: folder + index,
          id: `${asId(address.slice(0, -1))}.${asId(segment)}`,
          // A version is a number, or with a mark of its own a number and that.
          versions: () =>
            versions
              .map((version) => (Array.isArray(version) ? version : [version, mark]))
              .map(([number, own]) => ({ number, mark: marks[own], address: `${folder}${number}/${index}` })),
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
    return joined.length >= LEAST_INSIDE && parts.every((part) => entry.key.includes(part)) ? INSIDE : undefined;
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

  /** The result for a version; if there is none of this number, for the one before it. */
  function versionOf({ title: name, versions: all }, wanted) {
    const versions = all();
    const newest = versions.at(-1);
    const { number, mark, address } = versions.findLast((version) => version.number <= wanted) ?? versions[0];
    const title = `${name}-${number}`;
    const isThere = number === wanted;
    if (!isThere) {
      const before = number === newest.number ? "the newest one" : "the one before it";
      const which = number > wanted ? "the first one" : before;
      return { isThere, title, mark, address, text: `${name} has no version ${wanted}: ${which} is ${number}.` };
    }
    const old = `An older version of ${name}: the current one is ${newest.number}.`;
    return { isThere, title, mark, address, text: number === newest.number ? undefined : old };
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
    const others = pieces.filter((piece) => /^\D/.test(piece) && !OF_OPSETS.has(piece));
    if (numbers.length < 1 || numbers.length > 2) {
      return;
    }
    const [old, latest] = [Math.min(...numbers), Math.max(...numbers)];
    for (const [order, [domain, address, opsets, hasAll]] of names.domains.entries()) {
      const known = keyOf(domain);
      const folder = `${names.section}${address}opsets/`;
      if (!others.every((word) => beginsWord(known, word)) || !numbers.every((number) => opsets.includes(number))) {
        continue;
      }
      const result = (title, address, rank, text) => ({
        entry: { title, address, order, key: title, place: domain },
        rank,
        text,
      });
      if (old !== latest) {
        const hasPage = hasAll || opsets.indexOf(latest) === opsets.indexOf(old) + 1;
        const page = hasPage ? `${old}-${latest}/${names.index}` : `${names.index}#from=${old}&to=${latest}`;
        const text = `What moving from opset ${old} to ${latest} of ${domain} means.`;
        yield result(`${domain}: opset ${old} to ${latest}`, folder + page, EXACT, text);
      }
      for (const number of new Set([latest, old])) {
        const text = `What opset ${number} of ${domain} brought, and every operator in it.`;
        const rank = old === latest ? EXACT : TITLE;
        yield result(`${domain} opset ${number}`, `${folder}${number}/${names.index}`, rank, text);
      }
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
      const count = isThere ? IN_NAME : beginsWord(entry.placeKey, word) ? IN_PLACE : 0;
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

    /** Documents with a word, or with one that begins with it; or else, if that is asked for, with one that is near. */
    return async function (word, orNear) {
      const isWhole = word.length < LEAST_BEGINNING && !IS_DENSE.test(word);
      const contents = await Promise.all(shelvesOf(word, isWhole).map(shelf));
      const all = contents.flatMap(Object.entries);
      let fitting = all.filter(([known]) => (isWhole ? known === word : known.startsWith(word)));
      if (orNear && !fitting.length && word.length >= LEAST_NEAR) {
        fitting = all.filter(([known]) => areNear(known, word));
      }
      const found = new Map();
      for (const [known, steps] of fitting) {
        let place = 0;
        for (const step of steps) {
          place = (place & ~3) + step;
          const count = 2 * ((place & 3) + 1) - (known === word ? 0 : 1);
          found.set(place >> 2, Math.max(count, found.get(place >> 2) ?? 0));
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

  /** What is in all of some sets of documents; what it counts is added up. */
  function every([first, ...others]) {
    const found = new Map();
    for (const [number, count] of first) {
      if (others.every((other) => other.has(number))) {
        found.set(number, others.reduce((sum, other) => sum + other.get(number), count));
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
          ...byOpsets(names, documents, asked),
          ...byOpset(names, asked),
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
