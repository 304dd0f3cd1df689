// Without this script the page is complete; with it, times are the reader's
// own and the page follows the delivery until it ends.
(() => {
  const language = document.documentElement.lang;
  const local = new Intl.DateTimeFormat(language, { dateStyle: "long", timeStyle: "short" });
  const localise = () => {
    for (const time of document.querySelectorAll("time")) {
      time.textContent = local.format(new Date(time.dateTime));
    }
  };
  const refresh = async () => {
    const current = document.getElementById("delivery");
    if (!("live" in current.dataset)) return;
    try {
      const answer = await fetch(location.href, { headers: { Accept: "text/html" } });
      if (answer.ok) {
        const page = new DOMParser().parseFromString(await answer.text(), "text/html");
        const next = page.getElementById("delivery");
        document.title = page.title;
        current.replaceWith(next);
        localise();
      }
    } catch {
      // Offline: the next round tries again.
    }
    setTimeout(refresh, 20000);
  };
  localise();
  setTimeout(refresh, 20000);
})();
