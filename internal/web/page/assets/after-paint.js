// Loads the modules of a document that shows without them what it is opened for. Browsers
// that knew of them earlier would ask for all of them before they read the document.

const load = () => document.head.append(/** @type {HTMLTemplateElement} */ (document.getElementById("after-paint")).content);
if (document.hidden) load(); // what is hidden is never painted
else requestAnimationFrame(() => setTimeout(load));
