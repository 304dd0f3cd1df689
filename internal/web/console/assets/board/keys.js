// The keys of the board.

import { current, cursor, cursorAt, move, shown } from "./board.js";
import { act, giveUp, isAsking, typeAhead } from "./bulk.js";
import { ask, dialog } from "dropyard/dialog.js";
import { html } from "dropyard/html.js";
import { enter, open, opened, view, writeNote } from "./route.js";
import { clear, range, selected, toggle } from "./selection.js";
import { t } from "dropyard/text.js";
import { dismiss, isInToast, undoLast } from "./toast.js";

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

/** @param {string} id */
const focus = (id) => document.getElementById(id)?.focus();

/** Reports whether the focus is in the panel of the order that is open. */
const isInPanel = () => Boolean(document.activeElement?.closest(".panel"));

/** Writes a note on the order at which the keyboard is. The field takes the focus when it is drawn, before the next key. */
const note = () => {
  const id = isInPanel() ? opened.value : cursor.value;
  if (id) writeNote(id);
};

const escape = () => {
  const wasInToast = isInToast();
  dismiss();
  if (wasInToast) return;
  if (opened.value) open("");
  else if (document.activeElement?.id === "orders") clear();
  focus("orders");
};

const help = () => ask(t("act.keys"), () => html`<dl class="facts keys-help">
  ${/** @type {[string, string][]} */ ([
    ["j k", t("act.key.move")], ["x", t("act.key.select")], ["Shift j k", t("act.key.range")], ["a", t("act.to.accepted")], ["c", t("act.to.courier_assigned")],
    ["o", t("act.key.open")], ["e", t("act.key.note")], ["z", t("act.key.undo")], ["/", t("act.key.search")], ["f", t("act.key.filters")], ["Esc", t("act.key.close")],
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
  e: note, z: undoLast, "/": () => focus("search"), f: () => /** @type {HTMLElement | null} */ (document.querySelector(".lists select"))?.focus(),
  g: () => { leads = Date.now() + leadMs; },
  Escape: escape, "?": help,
};

/** The keys that are about the row at which the keyboard is. They act only while the list has the focus, which shows that row; that for a note also in the panel of an order. */
const aboutRows = "jkJKxacoe";
/** Those that act again while they are held down. */
const repeated = "jkJK";

/** The key that acts once and is still held down: its repetitions must not be typed into what it has opened. */
let held = "";

/** Reports whether keys are typed into what has the focus. @param {EventTarget | null} target */
const isTyping = (target) => target instanceof HTMLElement
  && (target.isContentEditable || target.matches("textarea, select") || target.matches("input") && !target.matches('[type="checkbox"]'));

/** @param {KeyboardEvent} event */
const dropRepetition = (event) => {
  if (!event.repeat || event.key !== held) return;
  event.preventDefault();
  event.stopImmediatePropagation();
};

/** @param {KeyboardEvent} event */
const onKey = (event) => {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || dialog.value) return;
  if (isAsking()) {
    if (event.key === "Escape") giveUp();
    else if (event.key.length === 1) typeAhead(event.key);
    event.preventDefault();
    return;
  }
  if (isTyping(event.target)) {
    if (event.key === "Escape") focus("orders");
    return;
  }
  const place = leads > Date.now() ? places[event.key] : undefined, does = keys[event.key];
  leads = 0;
  if (!place && !does) return;
  // The box that selects all keeps the focus, so that the space bar presses it again: keys act on what it has selected.
  if (document.activeElement?.closest("#orders .head") && aboutRows.includes(event.key)) focus("orders");
  const isInList = view.value === "list" && document.activeElement?.id === "orders";
  if (!place && aboutRows.includes(event.key) && !isInList && !(event.key === "e" && isInPanel())) return;
  event.preventDefault();
  held = repeated.includes(event.key) ? "" : event.key;
  if (place && mayOpen(place)) location.assign(place);
  else if (!place && does) does();
};

/** Listens to the keyboard. */
export const listen = () => {
  addEventListener("keydown", dropRepetition, { capture: true });
  addEventListener("keydown", onKey);
  addEventListener("keyup", () => { held = ""; });
};
