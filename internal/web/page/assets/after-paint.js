// Loads modules when the document is painted: browsers would ask for them before they read it.

const load = () => document.head.append(/** @type {HTMLTemplateElement} */ (document.getElementById("after-paint")).content);
if (document.hidden) load(); // what is hidden is never painted
else requestAnimationFrame(() => setTimeout(load));
