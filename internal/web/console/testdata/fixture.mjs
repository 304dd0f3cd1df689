// Rows for the tests of the board.

export const epoch = Date.parse("2026-01-14T15:00:00Z");
export const hour = 3600000;
export const at = (hours) => new Date(epoch + hours * hour).toISOString();

/** Returns a row whose windows end after 3 h and 27 h, and which is expected after 48 h: it is due after 27 h. */
export const raw = (id, fields = {}) => ({
  order_id: `ord_${id}`, partner_id: "par_1", partner_name: "Épicerie Métro", partner_order_id: `A-${id}`, status: "accepted", version: 1,
  service_level: "express", courier: null, zone: "M5H", city: "Toronto", recipient: "Noah Tremblay", street: "12 King St", pickup_window: { start: at(0), end: at(3) },
  dropoff_window: { start: at(24), end: at(27) }, estimated_delivery: at(48), failures: 0, created_at: at(0), updated_at: at(0), ...fields,
});
