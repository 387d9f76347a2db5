// On a page that has moved: leads from the place that the address names to the page that has it now. Without
// this script, readers see the list in which the places are looked up here.
"use strict";

{
  const place = () => {
    try {
      return document.getElementById(decodeURIComponent(location.hash.slice(1)));
    } catch {
      return null; // The fragment is no text.
    }
  };
  const link = place()?.closest("li")?.querySelector("a") ?? document.querySelector("p > a");
  if (link) location.replace(link.href);
}
