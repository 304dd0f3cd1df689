// The keys of the board.

import { current, cursor, cursorAt, move, shown } from "./board.js";
import { act } from "./bulk.js";
import { ask, dialog } from "dropyard/dialog.js";
import { html } from "dropyard/html.js";
import { enter, open, opened, view } from "./route.js";
import { clear, range, selected, toggle } from "./selection.js";
import { t } from "dropyard/text.js";

/** The pages that g leads to. @type {Record<string, string>} */
const places = { b: "/console/board", c: "/console/couriers", s: "/console/stock", p: "/console/partners" };

/** Reports whether the operator may open a page: the menu has it. @param {string} path */
const mayOpen = (path) => document.querySelector(`.ways a[href="${path}"]`) !== null;

/** For how long g waits for the next key, in milliseconds. */
const leadMs = 1500;
let leads = 0;

/** Extends the selection by a row. @param {number} by */
const extend = (by) => {
  const row = current();
  if (row && !selected.value.has(row.order_id)) toggle(row);
  move(by);
  const to = shown.value[cursorAt()];
  if (to) range(shown.value, to);
};

/** Opens the order at which the keyboard is, and writes a note. */
const note = () => {
  if (!opened.value && cursor.value) open(cursor.value);
  setTimeout(() => document.getElementById("new-note")?.focus(), 0);
};

/** @param {string} id */
const focus = (id) => document.getElementById(id)?.focus();

const escape = () => {
  if (opened.value) {
    open("");
    focus("orders");
  } else clear();
};

const help = () => ask(t("act.keys"), () => html`<dl class="facts keys-help">
  ${/** @type {[string, string][]} */ ([
    ["j k", t("act.key.move")], ["x", t("act.key.select")], ["Shift j k", t("act.key.range")], ["a", t("act.to.accepted")], ["c", t("act.to.courier_assigned")],
    ["o", t("act.key.open")], ["e", t("act.key.note")], ["/", t("act.key.search")], ["f", t("act.key.filters")], ["Esc", t("act.key.close")],
    ["g b", t("console.board")], ["g c", t("console.couriers")], ["g s", t("console.stock")], ["g p", t("console.partners")], ["?", t("act.keys")],
  ]).filter(([key]) => !key.startsWith("g ") || mayOpen(places[key.slice(2)] ?? "")).map(([key, label]) => html`<dt key=${key}>${key.split(" ").map((part) => html`<kbd>${part}</kbd> `)}</dt><dd>${label}</dd>`)}
</dl>`);

/** What each key does. @type {Record<string, () => void>} */
const keys = {
  j: () => move(1), k: () => move(-1), J: () => extend(1), K: () => extend(-1),
  x: () => { const row = current(); if (row) toggle(row); },
  a: () => act("accepted", t("act.to.accepted"), "pending"),
  c: () => act("courier_assigned", t("act.to.courier_assigned")),
  o: () => { if (cursor.value) enter(cursor.value); },
  e: note, "/": () => focus("search"), f: () => /** @type {HTMLElement | null} */ (document.querySelector(".lists select"))?.focus(),
  g: () => { leads = Date.now() + leadMs; },
  Escape: escape, "?": help,
};

/** The keys that are about the row at which the keyboard is: the list shows it, other views do not. */
const aboutRows = "jkJKxacoe";
/** Those that go on in the list: it gets the focus, so that screen readers read its current row. */
const inList = "jkJKxac";

/** Reports whether keys are typed into what has the focus. @param {EventTarget | null} target */
const isTyping = (target) => target instanceof HTMLElement
  && (target.isContentEditable || target.matches("textarea, select") || target.matches("input") && !target.matches('[type="checkbox"]'));

/** @param {KeyboardEvent} event */
const onKey = (event) => {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || dialog.value) return;
  if (isTyping(event.target)) {
    if (event.key === "Escape") focus("orders");
    return;
  }
  const place = leads > Date.now() ? places[event.key] : undefined, does = keys[event.key];
  leads = 0;
  if (view.value !== "list" && aboutRows.includes(event.key)) return;
  if (!place && !does) return;
  event.preventDefault();
  if (!place && inList.includes(event.key)) focus("orders");
  if (place && mayOpen(place)) location.assign(place);
  else if (!place && does) does();
};

/** Listens to the keyboard. */
export const listen = () => addEventListener("keydown", onKey);
