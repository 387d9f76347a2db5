/* The script of the theme. Every page is whole without it: it adds the list of operators, search, the colour switch. */
(function () {
  "use strict";
  const root = document.documentElement;
  const site = new URL("..", document.currentScript.src);

  const words = JSON.parse(root.dataset.words ?? "{}");

  /** A phrase in the language of the site, with values in the places that it names in braces. */
  function word(phrase, values = {}) {
    return (words[phrase] ?? phrase).replace(/\{(\w+)\}/g, (place, name) => values[name] ?? place);
  }

  /** The browser's storage; it is refused to some pages, such as those opened from disk. */
  function storage(kind) {
    try {
      return window[kind];
    } catch {
      return null;
    }
  }
  const kept = storage("localStorage");
  const session = storage("sessionStorage");

  /* ---- Colours: before anything is painted ---- */

  const COLOR_MODE = "opsetdocs-color-mode";
  const usual = root.dataset.colorMode;
  const prefersDark = matchMedia("(prefers-color-scheme: dark)");
  root.classList.add("has-script");
  root.dataset.colorMode = kept?.getItem(COLOR_MODE) || usual;

  function isDark(mode) {
    return mode === "dark" || (mode !== "light" && prefersDark.matches);
  }

  function colorButton(button) {
    function name() {
      const other = isDark(root.dataset.colorMode) ? word("Light colours") : word("Dark colours");
      button.querySelector(".unseen").textContent = button.title = other;
    }
    button.addEventListener("click", function () {
      const mode = isDark(root.dataset.colorMode) ? "light" : "dark";
      if (isDark(mode) === isDark(usual)) {
        kept?.removeItem(COLOR_MODE);
        root.dataset.colorMode = usual;
      } else {
        kept?.setItem(COLOR_MODE, mode);
        root.dataset.colorMode = mode;
      }
      name();
    });
    prefersDark.addEventListener("change", name);
    name();
    button.hidden = false;
  }

  /* ---- The menu on narrow screens ---- */

  function menu(button) {
    function set(open) {
      button.setAttribute("aria-expanded", open);
      root.classList.toggle("menu-open", open);
    }
    const isOpen = () => button.getAttribute("aria-expanded") === "true";
    button.addEventListener("click", () => set(!isOpen()));
    document.addEventListener("keydown", function (event) {
      if (event.key === "Escape" && isOpen()) {
        set(false);
        button.focus();
      }
    });
    for (const part of document.querySelectorAll("main, .bottom")) {
      part.addEventListener("focusin", () => set(false));
    }
    button.hidden = false;
  }

  /* ---- The list of a domain's operators ---- */

  const MOST = 1000; // More entries than this make a browser slow; the filter leads to the others.

  function operatorList(nav) {
    const domain = nav.dataset.operatorList;
    const list = window.opsetdocsOperators?.[domain];
    if (!list) {
      return;
    }
    const base = new URL(nav.querySelector("a").href.replace(/[^/]*$/, ""));
    const label = nav.querySelector("label");
    const input = label.querySelector("input");
    const count = nav.querySelector("output");
    const all = nav.querySelector("button");
    const box = nav.querySelector("ul");
    const operators = list.operators.map(([name, segment, mark]) => ({
      name,
      mark,
      folder: new URL(`operators/${segment}/`, base),
      searched: name.toLowerCase(),
    }));
    const current = operators.findIndex((operator) => location.pathname.startsWith(operator.folder.pathname));

    function entry(operator) {
      const link = document.createElement("a");
      link.href = operator.folder + list.index;
      link.textContent = operator.name;
      if (operator === operators[current]) {
        link.setAttribute("aria-current", "true");
      }
      const item = document.createElement("li");
      item.append(link);
      if (operator.mark) {
        const mark = document.createElement("small");
        mark.textContent = operator.mark;
        item.append(" ", mark);
      }
      return item;
    }

    function show() {
      const parts = input.value.toLowerCase().split(/\s+/).filter(Boolean);
      const found = operators.filter((operator) => parts.every((part) => operator.searched.includes(part)));
      const start = parts.length ? 0 : Math.max(0, Math.min(current - MOST / 2, found.length - MOST));
      box.replaceChildren(...found.slice(start, start + MOST).map(entry));
      const counts = { found: found.length, all: operators.length };
      const isNone = parts.length > 0 && !found.length;
      const said = isNone ? word("No operator fits") : word("Operators: {found} of {all}", counts);
      count.textContent = parts.length ? said : "";
      count.classList.toggle("unseen", !isNone); // Otherwise the list itself is to be seen.
      all.hidden = !isNone;
      session?.setItem(`opsetdocs-filter ${base}`, input.value);
    }

    function clear() {
      input.value = "";
      show();
    }

    input.value = session?.getItem(`opsetdocs-filter ${base}`) || "";
    input.addEventListener("input", show);
    input.addEventListener("keydown", function (event) {
      if (event.key === "Enter") {
        box.querySelector("a")?.click();
      } else if (event.key === "Escape" && input.value) {
        event.stopPropagation();
        clear();
      }
    });
    all.addEventListener("click", function () {
      clear();
      input.focus();
    });
    show();
    label.hidden = box.hidden = false;
    keepPlace(box, `opsetdocs-place ${base}`);
  }

  /** Scroll the list to where it was on the page before, or to the current operator if that is out of sight. */
  function keepPlace(box, key) {
    box.scrollTop = Number(session?.getItem(key)) || 0;
    const link = box.querySelector("[aria-current]");
    if (link) {
      const [outer, inner] = [box, link].map((element) => element.getBoundingClientRect());
      if (inner.top < outer.top || inner.bottom > outer.bottom) {
        box.scrollTop += inner.top - outer.top - outer.height / 3;
      }
    }
    window.addEventListener("pagehide", () => session?.setItem(key, box.scrollTop));
  }

  /* ---- The contents list: open where there is room beside the text, and marked where one reads ---- */

  function contents(nav) {
    const room = matchMedia("(min-width: 80em)");
    const details = nav.querySelector("details");
    const links = new Map();
    for (const link of nav.querySelectorAll("a")) {
      const heading = document.getElementById(decodeURIComponent(link.hash.slice(1)));
      if (heading) {
        links.set(heading, link);
      }
    }
    const headings = Array.from(links.keys());
    let marked;
    let waiting = false;

    function mark() {
      waiting = false;
      const line = innerHeight / 4;
      const passed = headings.filter((heading) => heading.getBoundingClientRect().top < line);
      const atEnd = Math.ceil(scrollY + innerHeight) >= root.scrollHeight && scrollY > 0;
      const link = links.get(atEnd ? headings.at(-1) : passed.at(-1));
      if (link !== marked) {
        marked?.removeAttribute("aria-current");
        link?.setAttribute("aria-current", "location");
        marked = link;
      }
    }
    const unfold = () => (details.open = room.matches);
    room.addEventListener("change", unfold);
    unfold();
    addEventListener(
      "scroll",
      function () {
        if (!waiting && room.matches) {
          waiting = true;
          requestAnimationFrame(mark);
        }
      },
      { passive: true },
    );
    mark();
  }

  /* ---- Search: a dialog; what finds is the engine, a script that is loaded when the dialog opens ---- */

  function search(dialog, button) {
    const input = dialog.querySelector("input");
    const status = dialog.querySelector("[role=status]");
    const results = dialog.querySelector("ul");
    let engine;
    let latest = 0;
    let finding;

    function load() {
      engine ??= new Promise(function (resolve, reject) {
        const script = document.createElement("script");
        script.src = dialog.dataset.engine;
        script.addEventListener("load", resolve);
        script.addEventListener("error", () => reject(new Error("search cannot be loaded")));
        document.head.append(script);
      }).then(() => window.opsetdocsSearch(site));
      return engine;
    }

    function open() {
      if (!dialog.open) {
        dialog.showModal();
        load().catch(() => {});
      }
      input.select();
    }

    function entry(result) {
      const item = document.createElement("li");
      const link = document.createElement("a");
      link.href = new URL(result.address, site).href;
      const title = document.createElement("b");
      title.textContent = result.title;
      link.append(title);
      for (const about of [result.mark, result.place].filter(Boolean)) {
        const note = document.createElement("small");
        note.textContent = about;
        link.append(" ", note);
      }
      if (result.why) {
        const why = document.createElement("em");
        why.textContent = result.why;
        link.append(why);
      }
      if (result.text) {
        const text = document.createElement("span");
        Promise.resolve(result.text).then((line) => (text.textContent = line));
        link.append(text);
      }
      item.append(link);
      return item;
    }

    function resultsInWords(count) {
      return word(["Nothing found", "1 result"][count] ?? "{count} results", { count });
    }

    /** Show the results for what is in the field. The first ones stay where they are when more are found. */
    async function find() {
      const number = ++latest;
      let count = 0;
      function show(found) {
        if (number === latest) {
          if (!count) {
            results.replaceChildren();
          }
          results.append(...found.slice(count).map(entry));
          count = found.length;
          status.textContent = found.isCut ? word("The first {count} results", { count }) : resultsInWords(count);
        }
      }
      const query = input.value.trim();
      if (!query) {
        results.replaceChildren();
        status.textContent = "";
        return;
      }
      status.textContent ||= word("Searching…");
      try {
        show(await (await load()).search(query, show));
      } catch (error) {
        if (number === latest) {
          status.textContent = word("Search does not work here: {reason}.", { reason: error.message });
        }
      }
    }

    function step(by) {
      const stops = [input, ...results.querySelectorAll("a")];
      const next = stops.indexOf(document.activeElement) + by;
      stops[Math.max(0, Math.min(next, stops.length - 1))].focus();
    }

    button.addEventListener("click", open);
    button.hidden = false;
    input.addEventListener("input", () => (finding = find()));
    dialog.querySelector("button").addEventListener("click", () => dialog.close());
    dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
    results.addEventListener("click", () => dialog.close());
    dialog.querySelector("form").addEventListener("submit", async function (event) {
      event.preventDefault();
      await finding; // What was typed in haste is not answered by what was found before.
      results.querySelector("a")?.click();
    });
    dialog.addEventListener("keydown", function (event) {
      const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (event.key === "Escape") {
        event.preventDefault(); // Some browsers only empty the field at first.
        dialog.close();
      } else if (by) {
        event.preventDefault();
        step(by);
      }
    });
    document.addEventListener("keydown", function (event) {
      const typing = event.target.closest("input, textarea, select, [contenteditable]");
      const alone = !event.ctrlKey && !event.metaKey && !event.altKey;
      if ((event.key === "/" && alone && !typing) || (event.key === "k" && (event.ctrlKey || event.metaKey))) {
        event.preventDefault();
        open();
      }
    });
    const query = new URLSearchParams(location.search).get("q");
    if (query) {
      input.value = query;
      open();
      finding = find();
    }
  }

  /* ---- Text that scrolls sideways can be reached by keyboard ---- */

  function scrollable() {
    for (const block of document.querySelectorAll(".prose :is(pre, table)")) {
      if (block.scrollWidth > block.clientWidth) {
        block.tabIndex = 0;
      }
    }
  }

  document.addEventListener("DOMContentLoaded", function () {
    document.querySelectorAll(".color-button").forEach(colorButton);
    document.querySelectorAll(".menu-button").forEach(menu);
    document.querySelectorAll("[data-operator-list]").forEach(operatorList);
    document.querySelectorAll(".contents:not(.is-short)").forEach(contents);
    const dialog = document.querySelector("dialog.search");
    if (dialog) {
      search(dialog, document.querySelector(".search-button"));
    }
    scrollable();
  });
})();
