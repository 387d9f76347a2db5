/* What opsetdocs pages do with a script. Every page is whole without it. */
(function () {
  "use strict";

  function element(tag, ...content) {
    const made = document.createElement(tag);
    made.append(...content);
    return made;
  }

  /** Show only the entries whose operator is named; the address keeps the names, so that the view can be linked. */
  function filterable(form, signal) {
    const input = form.querySelector("input");
    const status = form.querySelector("output");
    const groups = Array.from(document.querySelectorAll("[data-operators]"));
    const entries = groups.flatMap((group) => Array.from(group.querySelectorAll(".opsetdocs-steps > li")));
    const listed = entries.map((entry) => entry.querySelector("a").textContent.toLowerCase());

    /** The names, which may have the domain in front as ids have it. */
    function wanted() {
      return input.value.toLowerCase().split(/[\s,;]+/).map((name) => name.slice(name.lastIndexOf(".") + 1)).filter(Boolean);
    }

    /** Whether an entry is asked for: by its whole name, or by the beginning of it while no entry has that name. */
    function answers(name, asked) {
      return listed.includes(asked) ? name === asked : name.startsWith(asked);
    }

    function show() {
      const names = wanted();
      let shown = 0;
      for (const [index, entry] of entries.entries()) {
        entry.hidden = names.length > 0 && !names.some((asked) => answers(listed[index], asked));
        shown += entry.hidden ? 0 : 1;
      }
      for (const group of groups) {
        group.hidden = !group.querySelector(".opsetdocs-steps > li:not([hidden])");
      }
      const others = names.filter((asked) => !listed.some((name) => answers(name, asked)));
      const unchanged = others.length ? `; not among them, so unchanged or unknown: ${others.join(", ")}` : "";
      const all = `${entries.length} operator${entries.length === 1 ? "" : "s"}`;
      status.textContent = names.length ? `${shown} of ${all} that changed${unchanged}` : "";
    }

    function fromAddress() {
      const match = /^#ops=(.*)$/.exec(location.hash);
      if (match) {
        try {
          input.value = decodeURIComponent(match[1]).replace(/,/g, ", ");
        } catch {
          input.value = match[1];
        }
      }
      show();
    }

    input.addEventListener("input", function () {
      show();
      const names = wanted().map(encodeURIComponent).join(",");
      history.replaceState(null, "", names ? `#ops=${names}` : location.pathname + location.search);
    });
    form.addEventListener("submit", (event) => event.preventDefault());
    window.addEventListener("hashchange", fromAddress, { signal });
    form.hidden = false;
    fromAddress();
  }

  /** Whether an operator of the table of a domain is what a field of the form asks for; the first opset comes first. */
  const ANSWERS = {
    name: (operator, text) => text.toLowerCase().split(/\s+/).every((part) => operator.name.includes(part)),
    // A deprecated version has a status as well, but who asks for stable ones does not mean it.
    status: (operator, key, version) => (key === "removed" ? operator.isRemoved : version.statuses.at(-1) === key),
    kind: (operator, kind, version) => version.kind === kind,
    opset: (operator, opset, version) => version.isOffered,
    since: (operator, opset) => operator.changed >= opset,
  };

  const STATUS = "opsetdocs-status";

  /** The operator of a row, with its versions: `offered_versions` in operator_list.py says how these are written. */
  function operatorOf(row, latest) {
    const name = row.querySelector("a");
    const [status, version, opsets] = Array.from(row.cells).slice(1);
    const marks = Array.from(status.querySelectorAll(`.${STATUS}`), (mark) => mark.classList[1].slice("opsetdocs-".length));
    const current = {
      kind: name.nextElementSibling?.textContent ?? "operator",
      statuses: marks.filter((mark) => mark !== "removed"),
    };
    const written = row.dataset.versions.split(" ");
    const versions = written.map(function (text, at) {
      const [, number, ranges, words = ""] = /^(\d+)(?:=([^/]*))?(?:\/(.*))?$/.exec(text);
      const own = words.split("+").filter(Boolean);
      const statuses = own.filter((word) => !["operator", "function"].includes(word));
      const end = parseInt(written[at + 1]) - 1 || latest;
      return {
        number,
        ranges: (ranges ?? `${number}-${end}`).split(",").filter(Boolean).map((range) => range.split("-").map(Number)),
        kind: own.find((word) => !statuses.includes(word)) ?? current.kind,
        statuses: statuses.length ? statuses : current.statuses,
      };
    });
    return {
      row,
      cells: { name, status, version, opsets },
      address: name.getAttribute("href"),
      name: name.textContent.toLowerCase(),
      isRemoved: marks.includes("removed"),
      versions,
      changed: Number(row.dataset.changed ?? version.textContent),
    };
  }

  /** The version that an opset has; where none is asked for, or where it has none, the current one. */
  function versionIn({ versions }, opset) {
    const isIn = ([first, last = first]) => first <= opset && opset <= last;
    const version = opset ? versions.findLast(({ ranges }) => ranges.some(isIn)) : undefined;
    return { ...(version ?? versions.at(-1)), isOffered: version !== undefined };
  }

  function textOf(ranges) {
    return ranges.map(([first, last = first]) => (first === last ? first : `${first}\u00a0to\u00a0${last}`)).join(", ");
  }

  /** Have the row of an operator show one of its versions, and lead to it. */
  function showVersion({ row, cells, address, versions }, { number, kind, statuses, ranges }) {
    if ((row.dataset.shown ?? versions.at(-1).number) === number) {
      return;
    }
    const isCurrent = number === versions.at(-1).number;
    row.dataset.shown = number;
    cells.name.setAttribute("href", isCurrent ? address : address.replace(/(index\.html)?$/, `${number}/$1`));
    cells.name.nextElementSibling?.remove();
    if (kind === "function") {
      cells.name.after(" ", element("small", kind));
    }
    const removed = cells.status.querySelector(".opsetdocs-removed");
    const marks = statuses.map(function (key) {
      const mark = element("span", key.replace("-", " "));
      mark.className = `${STATUS} opsetdocs-${key}`;
      return mark;
    });
    cells.status.replaceChildren(...[...marks, removed].filter(Boolean).flatMap((mark) => [mark, " "]));
    const now = element("small", `now\u00a0${versions.at(-1).number}`);
    cells.version.replaceChildren(number, ...(isCurrent ? [] : ["\u00a0", now]));
    cells.opsets.textContent = textOf(ranges);
  }

  /** Show only the operators of a domain that are asked for; the address keeps what is asked, and each step back. */
  function operatorFilter(form, signal) {
    const fields = Array.from(form.elements).filter((field) => field.name);
    const opset = form.elements.namedItem("opset");
    const latest = Number(opset.options[1].value);
    const rows = document.querySelectorAll(".opsetdocs-operators tbody tr");
    const operators = Array.from(rows, (row) => operatorOf(row, latest));
    const count = form.querySelector("output");
    const table = document.querySelector(".opsetdocs-operators");
    const box = table.closest("[role=region]") ?? table;
    const all = form.querySelector("output + button") ?? element("button", "Show all operators");
    all.type = "button";
    count.after(all);
    let typing = false;

    function show() {
      const asked = fields.filter((field) => field.value.trim());
      let found = 0;
      for (const operator of operators) {
        const version = versionIn(operator, Number(opset.value));
        const isFound = asked.every((field) => ANSWERS[field.name](operator, field.value.trim(), version));
        operator.row.hidden = !isFound;
        found += isFound ? 1 : 0;
        showVersion(operator, version);
      }
      const total = `${operators.length} operator${operators.length === 1 ? "" : "s"}`;
      const some = found ? `${found} of ${total}` : `No operator fits: 0 of ${total}`;
      count.textContent = asked.length ? some : total;
      box.hidden = !found;
      all.hidden = Boolean(found);
      return asked;
    }

    /** The address of the page with what is asked for. */
    function addressOf(asked) {
      const query = new URLSearchParams(asked.map((field) => [field.name, field.value.trim()]));
      return query.size ? `#${query}` : location.pathname + location.search;
    }

    function ask(event) {
      const address = addressOf(show());
      history[typing ? "replaceState" : "pushState"](null, "", address);
      typing = event.target.type === "search"; // A word is one step, not each of its letters.
    }

    function fromAddress() {
      const asked = new URLSearchParams(location.hash.slice(1));
      const isOurs = fields.some((field) => asked.has(field.name));
      if (!location.hash || isOurs) {
        for (const field of fields) {
          field.value = asked.get(field.name) ?? "";
          if (field.selectedIndex === -1) {
            field.value = "";
          }
        }
      }
      typing = false;
      const address = addressOf(show());
      if (isOurs && fields.some((field) => (asked.get(field.name) ?? "").trim() !== field.value.trim())) {
        history.replaceState(null, "", address); // What the form does not know is not asked for.
      }
    }

    function reset(event) {
      form.reset();
      ask(event);
    }

    form.addEventListener("input", ask);
    form.addEventListener("focusout", () => (typing = false));
    form.querySelector("button").addEventListener("click", reset);
    all.addEventListener("click", function (event) {
      reset(event);
      box.focus({ preventScroll: true }); // The button is gone.
    });
    form.addEventListener("submit", function (event) {
      event.preventDefault();
      operators.find((operator) => !operator.row.hidden)?.row.querySelector("a").focus();
    });
    window.addEventListener("hashchange", fromAddress, { signal });
    form.hidden = false;
    fromAddress();
  }

  /* ---- The way from one version to another. The ids of what stands on a page begin with that of its title: of an
     operator, or of one of its versions, which has a number more. ---- */

  /** Let the links to other versions lead to the place on them at which the address of this page points. */
  function samePlace(nav, signal) {
    const title = document.querySelector(".opsetdocs-page h1");
    const id = nav.dataset.id;

    function keep() {
      const start = `#${title.id}`;
      if (!location.hash.startsWith(`${start}.`)) {
        return;
      }
      const place = location.hash.slice(start.length);
      for (const link of nav.querySelectorAll("a")) {
        link.hash = `${id}-${link.textContent}${place}`;
      }
      for (const link of document.querySelectorAll(".opsetdocs-old a")) {
        link.hash = `${id}${place}`;
      }
    }

    window.addEventListener("hashchange", keep, { signal });
    keep();
  }

  const SECTIONS = { attribute: "attributes", input: "inputs", output: "outputs", type: "type-constraints" };

  /** What is nearest to a place, such as `.attribute.pads`, that is not on the page: what holds it, or its section. */
  function nearest(title, place) {
    const steps = place.split(".").slice(1);
    const above = steps.map((_, at) => steps.slice(0, steps.length - at).join("."));
    return [...above, SECTIONS[steps[0]]].map((step) => `${title.id}.${step}`).find((id) => document.getElementById(id));
  }

  /** Lead from an id that is not here: to the version that it names, if that has a page, or to what is nearest here. */
  function otherVersion(title, signal) {
    const nav = document.querySelector(".opsetdocs-versions");
    const operator = nav?.dataset.id ?? title.id.replace(/-\d+$/, "");

    function lead() {
      const id = location.hash.slice(1);
      const parts = id.startsWith(operator) && /^(?:-(\d+))?(\..+)?$/.exec(id.slice(operator.length));
      if (!parts || document.getElementById(id)) {
        return;
      }
      const [, number, place = ""] = parts;
      const links = Array.from(nav?.querySelectorAll("a:not([aria-current])") ?? []);
      const link = links.find((link) => link.textContent === number && link.host === location.host);
      if (link) {
        const address = new URL(link.href);
        address.hash = id;
        location.replace(onDisk(address));
        return;
      }
      const near = nearest(title, place);
      if (near) {
        location.replace(`#${near}`);
      }
    }

    window.addEventListener("hashchange", lead, { signal });
    lead();
  }

  /** The address of a page: from disk, that of a folder is the address of a file in it. */
  function onDisk(address) {
    if (address.protocol === "file:" && address.pathname.endsWith("/")) {
      address.pathname += "index.html";
    }
    return address;
  }

  /** Have links lead to pages, rather than to folders, where a site is opened from disk. */
  function linkToFiles(event) {
    const link = event.target.closest?.("a[href]");
    if (link) {
      // The link in a picture has its address in another place.
      link.setAttribute("href", onDisk(new URL(link.href.baseVal ?? link.href, location.href)).href);
    }
  }

  /** Lead to the page of what moving between two opsets means, or say it from the catalog where there is no page. */
  function upgradable(form, signal) {
    const from = form.elements.namedItem("from");
    const to = form.elements.namedItem("to");
    const result = form.parentElement.querySelector(".opsetdocs-upgrade-result");

    function link(address, text) {
      const made = element("a", text);
      made.href = new URL(address, new URL(form.dataset.catalog, location.href)).href;
      return made;
    }

    function words(operator, old, current) {
      const list = element("ul");
      for (const version of operator.versions) {
        if (version.since_version > old && version.since_version <= current) {
          for (const change of version.changes || []) {
            list.append(element("li", `${version.since_version}: ${change.words}`));
          }
        }
      }
      return list;
    }

    function show(domain, first, last) {
      const [before, after] = [first, last].map((number) => domain.opsets.find((opset) => opset.version === number));
      if (!before || !after) {
        return element("p", "One of the two opsets is not known.");
      }
      const list = element("dl");
      for (const operator of domain.operators) {
        const [old, current] = [before, after].map((opset) => opset.members[operator.id]);
        if (old === current) {
          continue;
        }
        const title = element("dt", link(operator.address, operator.name));
        if (old === undefined) {
          title.append(` new, version ${current}`);
        } else if (current === undefined) {
          title.append(after.loaded ? " removed" : " not known any more");
        } else {
          title.append(` ${old} to ${current}`);
        }
        list.append(title, element("dd", old && current ? words(operator, old, current) : ""));
      }
      return list.children.length ? list : element("p", "Every operator has the same version in both opsets.");
    }

    async function fromAddress() {
      const match = /^#from=(\d+)&to=(\d+)$/.exec(location.hash);
      if (!match) {
        return;
      }
      const [first, last] = [+match[1], +match[2]].sort((one, other) => one - other);
      [from.value, to.value] = [first, last];
      const catalog = await fetch(form.dataset.catalog).then((response) => response.json(), () => null);
      if (!catalog) {
        result.replaceChildren(element("p", "This cannot be told here: a page that is opened from disk may not read the catalog."));
        return;
      }
      const domain = catalog.domains.find((item) => item.name === form.dataset.domain);
      result.replaceChildren(element("h2", `From opset ${first} to ${last}, step by step`), show(domain, first, last));
    }

    form.addEventListener("submit", function (event) {
      event.preventDefault();
      const [low, high] = [from.value, to.value].map(Number).sort((one, other) => one - other);
      if (low !== high && form.dataset.opsetdocsUpgrade === "pages") {
        document.querySelector(`a[data-upgrade="${low}-${high}"]`).click();
      } else {
        location.hash = `#from=${low}&to=${high}`;
      }
    });
    window.addEventListener("hashchange", fromAddress, { signal });
    form.hidden = false;
    to.selectedIndex = to.length - 1;
    fromAddress();
  }

  /** Give a heading a link to itself. Its sign comes from the style sheet, so that it is no part of the text. */
  function linked(heading) {
    if (heading.querySelector(".opsetdocs-permalink")) {
      return;
    }
    const link = document.createElement("a");
    link.className = "opsetdocs-permalink";
    link.href = `#${heading.id}`;
    link.setAttribute("aria-label", `Link to ${heading.textContent.trim()}`);
    heading.append(link);
  }

  /** Let a formula that scrolls sideways be reached by keyboard. */
  function reachable() {
    for (const formula of document.querySelectorAll(".opsetdocs-math")) {
      if (formula.scrollWidth > formula.clientWidth) {
        formula.tabIndex = 0;
      }
    }
  }

  let page = new AbortController();

  /** Make a page ready. Themes that put the next page into the place of the one before call this for each. */
  function start() {
    page.abort();
    page = new AbortController();
    const ready = function (selector, make) {
      document.querySelectorAll(selector).forEach((part) => make(part, page.signal));
    };
    reachable();
    ready(".opsetdocs-page :is(h1, h2, h3, h4, h5, h6)[id]", linked);
    ready("form[data-opsetdocs-filter]", filterable);
    ready("form[data-opsetdocs-operators]", operatorFilter);
    ready("form[data-opsetdocs-upgrade]", upgradable);
    ready(".opsetdocs-versions", samePlace);
    ready(".opsetdocs-page:has(.opsetdocs-facts) h1", otherVersion);
  }

  document.addEventListener("toggle", reachable, true); // What unfolds has no width before.
  if (location.protocol === "file:") {
    for (const kind of ["click", "auxclick", "contextmenu"]) {
      document.addEventListener(kind, linkToFiles, true);
    }
  }
  if (window.document$) {
    // Material, which may put the next page into the place of this one. It sets the address of each link to itself,
    // which a link in a picture refuses.
    const address = Object.getOwnPropertyDescriptor(SVGAElement.prototype, "href");
    Object.defineProperty(SVGAElement.prototype, "href", { ...address, set: () => {} });
    window.document$.subscribe(start);
  } else {
    start();
  }
})();
