// What is being typed, kept in the tab until it is sent: the end of a session, or another
// page, does not lose it. It is gone when the tab is closed, and when its person signs out.

/** The beginning of the names under which drafts are kept: reader.js removes them at the sign-out. */
const prefix = "draft:";

/** Returns a draft; empty for none. @param {string} name with the person who types, so that others do not see it */
export const drafted = (name) => {
  try {
    return globalThis.sessionStorage?.getItem(prefix + name) ?? "";
  } catch { // the browser keeps nothing for this site
    return "";
  }
};

/** Keeps a draft; an empty text removes it. @param {string} name @param {string} text */
export const draft = (name, text) => {
  try {
    if (text) sessionStorage.setItem(prefix + name, text);
    else sessionStorage.removeItem(prefix + name);
  } catch { /* the browser keeps nothing for this site, or it is full: the text stays on the page */ }
};
