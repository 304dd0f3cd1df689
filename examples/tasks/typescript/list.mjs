// Lists all orders, a page at a time.
import { Client } from "@dropyard/client";

const client = Client.fromEnvironment();

let page = await client.listOrders({ limit: 20 });
for (;;) {
  for (const order of page.orders) {
    console.log(order.order_id, order.status);
  }
  console.log(page.count, "orders on this page");
  if (page.next_cursor === undefined) {
    break;
  }
  page = await client.listOrders({ limit: 20, cursor: page.next_cursor });
}
