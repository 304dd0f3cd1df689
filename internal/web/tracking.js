// The page is complete without this script. The script shows times in the reader's
// time zone and updates the page until the delivery ends.
(() => {
  const everyMs = 20000;
  const local = new Intl.DateTimeFormat(document.documentElement.lang, { dateStyle: "long", timeStyle: "short" });
  const localise = (root) => {
    for (const time of root.querySelectorAll("time")) {
      time.textContent = local.format(new Date(time.dateTime));
    }
  };
  // Only parts that differ are replaced, so that a screen reader speaks when the
  // state changes, not every twenty seconds.
  const update = (page) => {
    localise(page);
    for (const id of ["status", "details"]) {
      const now = document.getElementById(id), next = page.getElementById(id);
      if (next && now.innerHTML !== next.innerHTML) now.replaceChildren(...next.childNodes);
    }
    document.title = page.title;
    return "live" in page.querySelector("main").dataset;
  };
  const follow = async () => {
    let live = true;
    try {
      const answer = await fetch(location.href, { headers: { Accept: "text/html" } });
      if (answer.ok) live = update(new DOMParser().parseFromString(await answer.text(), "text/html"));
    } catch {
      // Offline: the next round tries again.
    }
    if (live) setTimeout(follow, everyMs);
  };
  localise(document);
  if ("live" in document.querySelector("main").dataset) setTimeout(follow, everyMs);
})();
