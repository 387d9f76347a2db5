/* What opsetdocs pages do with a script. Every page is whole without it. */
(function () {
  "use strict";

  /** Show only the entries whose operator is named; the address keeps the names, so that the view can be linked. */
  function filterable(form) {
    const input = form.querySelector("input");
    const status = form.querySelector("output");
    const entries = Array.from(document.querySelectorAll("[data-operator]"));

    function wanted() {
      return input.value.toLowerCase().split(/[\s,]+/).filter(Boolean);
    }

    function show() {
      const names = wanted();
      let shown = 0;
      for (const entry of entries) {
        const name = entry.dataset.operator.toLowerCase();
        entry.hidden = names.length > 0 && !names.some((part) => name.startsWith(part));
        shown += entry.hidden ? 0 : 1;
      }
      for (const group of document.querySelectorAll("[data-operators]")) {
        group.hidden = !group.querySelector("[data-operator]:not([hidden])");
      }
      const listed = entries.map((entry) => entry.dataset.operator.toLowerCase());
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

  document.querySelectorAll("form[data-opsetdocs-filter]").forEach(filterable);
  document.querySelectorAll("form[data-opsetdocs-upgrade]").forEach(upgradable);
})();
