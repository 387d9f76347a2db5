// Says what is on a page: what should not be in our part of it, and what the theme has around that.
(ourNames) => {
  const words = (text) => new Set(text.trim().split(/\s+/));
  const ours = document.querySelector(".opsetdocs-page");
  const never = words(`
    applet audio base embed frame iframe image img link meta object script source style template track video
    animate foreignobject marquee noscript plaintext portal set textarea use xmp
  `);
  const counted = words(`
    html head body title meta link script style template base object iframe dialog form header main footer
  `);
  const loading = words("href src action formaction data poster background ping srcset xlink:href");
  const names = new Set(ourNames);
  const ids = new Set();
  const faults = [];
  const frame = new Set();
  const counts = {};

  function address(element, name, value, inside) {
    let url;
    try {
      url = new URL(value, document.baseURI);
    } catch {
      return false;
    }
    const isLink = element.localName === "a" || element.localName === "area";
    return isLink ? /^(https?|mailto):$/.test(url.protocol) : !inside || url.origin === location.origin;
  }

  function attribute(element, { name, value }, inside) {
    const tag = element.localName;
    const shown = `<${tag} ${name}=${value}>`;
    if (/^on|^style$|^srcdoc$/.test(name)) {
      if (inside) {
        faults.push(shown);
      } else {
        frame.add(`${tag} ${name}`);
      }
    }
    if (inside && name === "name" && !names.has(value)) {
      faults.push(shown);
    }
    if (loading.has(name) && !address(element, name, value, inside)) {
      faults.push(shown);
    }
  }

  for (const element of document.querySelectorAll("*")) {
    const tag = element.localName;
    const inside = Boolean(ours?.contains(element));
    if (inside && never.has(tag.toLowerCase())) {
      faults.push(`<${tag}>`);
    }
    if (inside && element.namespaceURI.endsWith("svg") && !element.closest(".opsetdocs-picture")) {
      faults.push("a picture that is not ours");
    }
    // Which page comes before and after another depends on the number of pages.
    if (!inside && counted.has(tag) && !element.closest("svg") && !/prev|next/.test(element.rel)) {
      counts[tag] = (counts[tag] || 0) + 1;
    }
    for (const item of element.attributes) {
      attribute(element, item, inside);
    }
    if (element.id) {
      if (ids.has(element.id)) {
        faults.push(`the id ${element.id} stands twice`);
      }
      ids.add(element.id);
      if (inside && !element.id.includes(".")) {
        frame.add(`id ${element.id.replace(/\d+/, "0")}`); // Of the theme's scripts.
      }
    }
  }
  const way = [];
  for (let node = ours; node; node = node.parentElement) {
    way.push(node.localName);
  }
  return { faults, frame: Array.from(frame), counts, way, title: document.title };
};
