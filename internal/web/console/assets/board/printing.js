// The list on paper: all orders that the filter lets through, because the list has only the visible ones in the page.

import { render } from "preact";
import { columnNames, reasonNames } from "./bar.js";
import { shown } from "./board.js";
import { now } from "dropyard/clock.js";
import { html, statusName } from "dropyard/html.js";
import { below, whenDue } from "./lines.js";
import { shownColumns } from "./route.js";
import { reasonsOf } from "./rows.js";
import { dollars, moment, n, t } from "dropyard/text.js";

/** @typedef {import("./rows.js").Row} Row */

/** How many orders are printed: forty pages. */
const most = 1000;

/** Returns the lines of a cell. @type {Record<import("./sorting.js").Column, (row: Row, at: number) => string[]>} */
const cells = {
  due: whenDue,
  recipient: (row) => [row.recipient, row.street, `${row.city} ${row.zone}`],
  order: (row) => [row.partner_order_id, row.partner_name, below(row, "")],
  partner: (row) => [row.partner_name],
  status: (row, at) => [statusName(row.status), ...reasonNames().filter(([name]) => reasonsOf(row, at).includes(name)).map(([, label]) => label)],
  courier: (row) => [row.courier?.name ?? "–"],
  level: (row) => [t(`level.${row.service_level}`)],
  cod: (row) => [row.cod_cents ? dollars(row.cod_cents) : "–"],
};

const Paper = () => {
  const at = now(), columns = columnNames().filter(([name]) => shownColumns.value.has(name)), rows = shown.value;
  return html`<h1>${t("board.title")}</h1>
    <p>${moment(at, at)} · ${n("views.orders", rows.length)}${rows.length > most && ` · ${t("board.printed", { n: most })}`}</p>
    <table><thead><tr>${columns.map(([name, label]) => html`<th key=${name} scope="col">${label}</th>`)}</tr></thead>
      <tbody>${rows.slice(0, most).map((row) => html`<tr key=${row.order_id}>${columns.map(([name]) => html`<td key=${name}>${cells[name](row, at).filter(Boolean).map((line) => html`<div key=${line}><bdi>${line}</bdi></div>`)}</td>`)}</tr>`)}</tbody></table>`;
};

const paper = document.createElement("div");
paper.className = "on-paper";
addEventListener("beforeprint", () => { render(html`<${Paper} />`, paper); document.body.append(paper); });
addEventListener("afterprint", () => { paper.remove(); render(null, paper); });
