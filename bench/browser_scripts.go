package main

// watchScript notes when the first rows have been painted, when a key has first moved to
// one of them, and when a row shows a status for the first time.
//
// The document has the first rows; the list of the modules takes their place.
const watchScript = `globalThis.firstRows = globalThis.firstKey = globalThis.ownRows = 0;
const painted = (then) => requestAnimationFrame(() => setTimeout(() => then(performance.now())));
const press = () => {
  document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "j", bubbles: true, cancelable: true }));
  setTimeout(() => document.querySelector("#orders .current") ? painted((at) => { globalThis.firstKey = at; }) : press(), 5);
};
globalThis.seen = new Map();
new MutationObserver(() => {
  if (!firstRows && document.querySelector(".grid .body .row")) {
    globalThis.firstRows = -1;
    painted((at) => { globalThis.firstRows = at; });
  }
  const rows = document.querySelectorAll("#orders [data-id]");
  if (!rows.length) return;
  if (!ownRows) {
    globalThis.ownRows = -1;
    painted((at) => { globalThis.ownRows = at; press(); });
  }
  for (const row of rows) {
    const key = row.dataset.id + ":" + row.querySelector(".status").className.split("status-")[1];
    if (!seen.has(key)) seen.set(key, performance.timeOrigin + performance.now());
  }
}).observe(document, { childList: true, subtree: true, attributes: true, attributeFilter: ["class"] });`

// allScript waits until the list has all rows, with its head, and returns when that was.
const allScript = `new Promise((resolve) => {
  const look = () => document.querySelector("#orders[aria-rowcount='%d']") ? resolve(performance.now()) : setTimeout(look, 10);
  look();
})`

// seenScript waits until a row shows a status, and returns when that was.
const seenScript = `new Promise((resolve) => {
  const look = () => seen.has(%[1]q) ? resolve(seen.get(%[1]q)) : setTimeout(look, 5);
  look();
})`

// scrollScript scrolls by five rows a frame, and to another part of the list every 30
// frames. It returns the times between frames.
const scrollScript = `new Promise((resolve) => {
  const list = document.querySelector("#orders"), times = [];
  let last = 0;
  const step = (at) => {
    if (last) times.push(at - last);
    last = at;
    if (times.length === 150) return resolve(times);
    list.scrollTop = times.length % 30 ? list.scrollTop + 180 : (times.length * 7919 * 36) % list.scrollHeight;
    requestAnimationFrame(step);
  };
  requestAnimationFrame(step);
})`

// selectScript selects a row a frame, and all or none every 30 frames. It returns the
// times between frames.
const selectScript = `new Promise((resolve) => {
  const list = document.querySelector("#orders"), times = [];
  let last = 0;
  const step = (at) => {
    if (last) times.push(at - last);
    last = at;
    if (times.length === 60) return resolve(times);
    const boxes = list.querySelectorAll(".body [type=checkbox]");
    (times.length % 30 ? boxes[times.length % boxes.length] : list.querySelector(".head [type=checkbox]")).click();
    requestAnimationFrame(step);
  };
  requestAnimationFrame(step);
})`
