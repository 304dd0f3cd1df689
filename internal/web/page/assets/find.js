// The key / leads to the search of orders, from anywhere but a field. Without it people go there by Tab.

document.addEventListener("keydown", (event) => {
  if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
  if (/** @type {Element} */ (event.target).closest?.("input, textarea, select, [contenteditable]")) return;
  const field = /** @type {HTMLInputElement | null} */ (document.querySelector("[aria-keyshortcuts='/']"));
  if (!field?.checkVisibility()) return;
  event.preventDefault();
  field.focus();
  field.select();
});
