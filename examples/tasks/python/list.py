"""Lists all orders, a page at a time."""


import dropyard

client = dropyard.Client.from_environment()

cursor = None
while True:
    page = client.list_orders(limit=20, cursor=cursor)
    for order in page["orders"]:
        print(order["order_id"], order["status"])
    print(page["count"], "orders on this page")
    cursor = page.get("next_cursor")
    if cursor is None:
        break
