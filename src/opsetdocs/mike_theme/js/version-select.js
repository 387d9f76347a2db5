// Beside the site's name: a list of the versions that mike has published. A choice leads to the same page of that
// version, whose address is the same in each, or to its start where it has no such page.
"use strict";

{
  // This script lies in a folder of the version that is shown.
  const root = new URL("../", document.currentScript.src);
  const name = decodeURIComponent(root.pathname.split("/").at(-2));

  const open = async (version) => {
    const start = new URL(`../${encodeURIComponent(version)}/`, root);
    const page = new URL(location.href.slice(root.href.length), start);
    const isThere = await fetch(page, { method: "HEAD" }).then((answer) => answer.ok, () => false);
    location.assign(isThere ? page : start);
  };

  const show = (versions) => {
    const isHere = (item) => item.version === name || item.aliases.includes(name);
    const list = document.createElement("select");
    list.className = "opsetdocs-site-versions";
    const words = JSON.parse(document.documentElement.dataset.words ?? "{}"); // The option `words` of the theme.
    list.ariaLabel = words.Version ?? "Version";
    list.autocomplete = "off"; // Else Firefox keeps a choice when a reader comes back.
    for (const item of versions) {
      if (isHere(item) || !item.properties?.hidden) {
        list.add(new Option(item.title, item.version, false, isHere(item)));
      }
    }
    list.addEventListener("change", () => open(list.value));
    document.querySelector(".top .brand")?.after(list);
  };

  fetch(new URL("../versions.json", root))
    .then((answer) => (answer.ok ? answer.json().then(show) : undefined))
    .catch(() => undefined); // From disk, or of a site that is no version, there is no list.
}
