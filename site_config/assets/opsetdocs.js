/* What opsetdocs pages do with a script. Every page is whole without it. */
(function () {
  "use strict";

  /** Show only the entries whose operator is named; the address keeps the names, so that the view can be linked. */
  function filterable(form) {
    const input = form.querySelector("input");
    const status = form.querySelector("output");
    const groups = Array.from(document.querySelectorAll("[data-operators]"));
    const entries = groups.flatMap((group) => Array.from(group.querySelectorAll(".opsetdocs-steps > li")));
    const listed = entries.map((entry) => entry.querySelector("a").textContent.toLowerCase());

    function wanted() {
      return input.value.toLowerCase().split(/[\s,]+/).filter(Boolean);
    }

    function show() {
      const names = wanted();
      let shown = 0;
      for (const [index, entry] of entries.entries()) {
        entry.hidden = names.length > 0 && !names.some((part) => listed[index].startsWith(part));
        shown += entry.hidden ? 0 : 1;
      }
      for (const group of groups) {
        group.hidden = !group.querySelector(".opsetdocs-steps > li:not([hidden])");
      }
      const others = names.filter((part) => !listed.some((name) => name.startsWith(part)));
      const unchanged = others.length ? `; not among them, so unchanged or unknown: ${others.join(", ")}` : "";
      status.textContent = names.length ? `${shown} of ${entries.length} operators that changed${unchanged}` : "";
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
    window.addEventListener("hashchange", fromAddress);
    form.hidden = false;
    fromAddress();
  }

  /** Whether an operator of the table of a domain is what a field of the form asks for. */
  const ANSWERS = {
    name: (operator, text) => text.toLowerCase().split(/\s+/).every((part) => operator.name.includes(part)),
    status: (operator, key) => operator.statuses.includes(`opsetdocs-${key}`),
    kind: (operator, kind) => operator.kind === kind,
    opset: (operator, opset) => operator.opsets.some(([first, last = first]) => first <= opset && opset <= last),
    since: (operator, opset) => operator.changed >= opset,
  };

  function operatorOf(row) {
    const name = row.querySelector("a");
    return {
      row,
      name: name.textContent.toLowerCase(),
      statuses: Array.from(row.querySelectorAll(".opsetdocs-status")).flatMap((mark) => Array.from(mark.classList)),
      kind: name.nextElementSibling?.textContent ?? "operator",
      opsets: row.dataset.opsets.split(" ").map((range) => range.split("-").map(Number)),
      changed: Number(row.dataset.changed ?? row.querySelector("[data-label=version]").textContent),
    };
  }

  /** Show only the operators of a domain that are asked for; the address keeps what is asked, and each step back. */
  function operatorFilter(form) {
    const operators = Array.from(document.querySelectorAll(".opsetdocs-operators tbody tr"), operatorOf);
    const fields = Array.from(form.elements).filter((element) => element.name);
    const count = form.querySelector("output");
    let typing = false;

    function show() {
      const asked = fields.filter((field) => field.value.trim());
      const found = operators.filter((operator) =>
        asked.every((field) => ANSWERS[field.name](operator, field.value.trim())),
      );
      const shown = new Set(found);
      for (const operator of operators) {
        operator.row.hidden = !shown.has(operator);
      }
      const of = asked.length ? `${found.length} of ` : "";
      count.textContent = `${of}${operators.length} operator${operators.length === 1 ? "" : "s"}`;
      return asked;
    }

    function ask(event) {
      const asked = new URLSearchParams(show().map((field) => [field.name, field.value.trim()]));
      const address = asked.size ? `#${asked}` : location.pathname + location.search;
      history[typing ? "replaceState" : "pushState"](null, "", address);
      typing = event.target.type === "search"; // A word is one step, not each of its letters.
    }

    function fromAddress() {
      const asked = new URLSearchParams(location.hash.slice(1));
      if (!location.hash || fields.some((field) => asked.has(field.name))) {
        for (const field of fields) {
          field.value = asked.get(field.name) ?? "";
          if (field.selectedIndex === -1) {
            field.value = "";
          }
        }
      }
      typing = false;
      show();
    }

    form.addEventListener("input", ask);
    form.addEventListener("focusout", () => (typing = false));
    form.querySelector("button").addEventListener("click", function (event) {
      form.reset();
      ask(event);
    });
    form.addEventListener("submit", function (event) {
      event.preventDefault();
      operators.find((operator) => !operator.row.hidden)?.row.querySelector("a").focus();
    });
    window.addEventListener("hashchange", fromAddress);
    form.hidden = false;
    fromAddress();
  }

  /** Let the links to other versions lead to the place on them at which the address of this page points. */
  function samePlace(nav) {
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

    window.addEventListener("hashchange", keep);
    keep();
  }

  /** Lead to the page of what moving between two opsets means, or say it from the catalog where there is no page. */
  function upgradable(form) {
    const from = form.elements.namedItem("from");
    const to = form.elements.namedItem("to");
    const result = form.parentElement.querySelector(".opsetdocs-upgrade-result");

    function element(tag, ...content) {
      const made = document.createElement(tag);
      made.append(...content);
      return made;
    }

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
      const response = await fetch(form.dataset.catalog);
      const catalog = await response.json();
      const domain = catalog.domains.find((item) => item.name === form.dataset.domain);
      result.replaceChildren(element("h2", `From opset ${first} to ${last}, step by step`), show(domain, first, last));
    }

    form.addEventListener("submit", function (event) {
      event.preventDefault();
      const [low, high] = [from.value, to.value].map(Number).sort((one, other) => one - other);
      if (low !== high && form.dataset.opsetdocsUpgrade === "pages") {
        location.href = document.querySelector(`a[data-upgrade="${low}-${high}"]`).href;
      } else {
        location.hash = `#from=${low}&to=${high}`;
      }
    });
    window.addEventListener("hashchange", fromAddress);
    form.hidden = false;
    to.selectedIndex = to.length - 1;
    fromAddress();
  }

  /** Give a heading a link to itself. Its sign comes from the style sheet, so that it is no part of the text. */
  function linked(heading) {
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

  document.addEventListener("toggle", reachable, true); // What unfolds has no width before.
  reachable();
  document.querySelectorAll(".opsetdocs-page :is(h1, h2, h3, h4, h5, h6)[id]").forEach(linked);
  document.querySelectorAll("form[data-opsetdocs-filter]").forEach(filterable);
  document.querySelectorAll("form[data-opsetdocs-operators]").forEach(operatorFilter);
  document.querySelectorAll("form[data-opsetdocs-upgrade]").forEach(upgradable);
  document.querySelectorAll(".opsetdocs-versions").forEach(samePlace);
})();
