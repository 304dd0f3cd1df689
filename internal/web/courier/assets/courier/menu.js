// The menu: the account, the language, the app on this phone, and signing out.

import { useLayoutEffect, useRef } from "preact/hooks";
import { signal } from "@preact/signals-core";
import { ask, close } from "dropyard/dialog.js";
import { html } from "dropyard/html.js";
import { language, n, t } from "dropyard/text.js";
import { HomeScreen, Updated } from "./install.js";

/**
 * What the menu needs: what waits to be sent, what removes the stops that the phone keeps of
 * the courier, and the number of the desk.
 * @typedef {{outbox: {waiting: import("@preact/signals-core").ReadonlySignal<unknown[]>}, forget: () => Promise<unknown>, phone?: import("@preact/signals-core").ReadonlySignal<string>}} Needs
 */

/** What tabs of the app say to each other: that the courier has signed out. @returns {BroadcastChannel} */
export const channel = () => new BroadcastChannel("dropyard-courier");

/** Leads to the page for signing in, and removes the stops that the phone keeps. @param {() => Promise<unknown>} forget */
export const toSignIn = async (forget) => {
  await forget().catch(() => null); // the stops are shown to this courier only
  location.replace("/courier/login");
};

/** How far signing out is. @type {import("@preact/signals-core").Signal<"" | "busy" | "failed">} */
const leaving = signal("");

const page = () => /** @type {HTMLElement} */ (document.getElementById("courier")).dataset;

/**
 * Signs out, and removes the document and the stops that the phone keeps: the worker
 * removes the document when it sees the request. What waits to be sent stays. Nothing is
 * removed without a connection, because the session goes on then.
 * @param {Needs} needs
 */
const signOut = async ({ forget }) => {
  leaving.value = "busy";
  const answer = await fetch("/courier/logout", { method: "POST", redirect: "manual" }).catch(() => null);
  if (answer?.type !== "opaqueredirect") {
    leaving.value = "failed";
    return;
  }
  channel().postMessage("signed out");
  await toSignIn(forget);
};

/** Says that signing out has failed. */
const Failed = () => html`<div role="alert">${leaving.value === "failed" && html`<p class="notice danger">${t("courier.signout.failed")}</p>`}</div>`;

/** Asks whether to sign out while something waits. @param {Needs} needs */
const Leave = (needs) => html`
  <p>${n("courier.signout.waiting", needs.outbox.waiting.value.length)}</p>
  <p>${t("courier.signout.stays")}</p>
  <${Failed} />
  <button type="button" class="button first" onClick=${close}>${t("courier.signout.keep")}</button>
  <button type="button" class="button danger" disabled=${leaving.value === "busy"} onClick=${() => signOut(needs)}>${t("courier.signout.anyway")}</button>`;

/** Signs out, and asks before that if something waits. @param {Needs} needs */
const leave = (needs) => {
  if (needs.outbox.waiting.value.length === 0) return void signOut(needs);
  ask(t("courier.signout.title"), () => html`<${Leave} ...${needs} />`);
};

/** The courier's own code, by which a colleague hands parcels over. The document has it, so that it is there without a connection. */
const Code = () => {
  const place = useRef(/** @type {HTMLElement | null} */ (null));
  useLayoutEffect(() => {
    const own = /** @type {HTMLTemplateElement | null} */ (document.getElementById("own-code"));
    if (own) place.current?.append(own.content.cloneNode(true));
  }, []);
  return html`<p>${t("courier.code.what")}</p><div class="own-code" ref=${place}></div>
    <button type="button" class="button" onClick=${close}>${t("act.close")}</button>`;
};

/** What the menu shows. @param {Needs} needs */
export const Menu = (needs) => {
  const { email, other, otherName } = page();
  return html`
    <p class="soft">${t("courier.menu.account", { email: email ?? "" })}</p>
    <${Updated} />
    <${HomeScreen} />
    ${needs.phone?.value && html`<a class="button" href=${`tel:${needs.phone.value}`}>${t("courier.call.dispatch")}</a>`}
    <button type="button" class="button" data-act="code" translate=${false} onClick=${() => ask(t("courier.code"), () => html`<${Code} />`)}>${t("courier.code")}</button>
    <a class="button" href="/courier/sign-in">${t("me.title")}</a>
    <a class="button" href=${other} lang=${language === "fr" ? "en" : "fr"}>${otherName}</a>
    <${Failed} />
    <button type="button" class="button leave" disabled=${leaving.value === "busy"} onClick=${() => leave(needs)}>${t("courier.signout")}</button>`;
};

/** The button that opens the menu. @param {Needs} needs */
export const MenuButton = (needs) => html`<button type="button" class="button open-menu" aria-haspopup="dialog" onClick=${() => {
  leaving.value = "";
  ask(t("courier.menu"), () => html`<${Menu} ...${needs} />`);
}}>${t("courier.menu")}</button>`;
