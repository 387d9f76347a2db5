// Types queries into a field, one after the other.
async ([selector, queries]) => {
  const wait = (time) => new Promise((resolve) => setTimeout(resolve, time));
  const input = document.querySelector(selector);
  for (const query of queries) {
    input.value = query;
    for (const type of ["input", "keyup", "change"]) {
      input.dispatchEvent(new Event(type, { bubbles: true }));
    }
    await wait(5);
  }
  await wait(300);
};
