// Does to everything on a page what a reader might do, without leaving the page.
() => {
  addEventListener(
    "click",
    function (event) {
      const link = event.target.closest("a");
      const target = link?.getAttribute("href") ?? link?.getAttribute("xlink:href");
      const url = target && URL.parse(target, document.baseURI);
      if (url && /^(https?|mailto):/.test(url.protocol)) {
        event.preventDefault();
      }
    },
    true,
  );
  const events = `
    pointerenter pointerover mouseenter mouseover mousedown mouseup focus focusin blur focusout toggle
    animationstart transitionend load error begin click
  `;
  const places = ".opsetdocs-page *, .search *, #mkdocs-search-results *, .md-search-result *";
  for (const element of document.querySelectorAll(places)) {
    if (!element.closest("form, button, summary")) {
      for (const type of events.trim().split(/\s+/)) {
        element.dispatchEvent(new MouseEvent(type, { bubbles: true, cancelable: true, view: window }));
      }
    }
  }
};
