// Links that lead to an address on the phone's own map.

/** Returns an address in one line. @param {import("./round.js").Address} address */
const inOneLine = ({ line1, city, province, postal_code: code, country }) => [line1, city, `${province} ${code}`, country].join(", ");

/**
 * Returns the attributes of a link to an address. Phones open it in an app for maps; iOS does
 * not know geo links, and opens those of Apple's maps in its own.
 * @param {import("./round.js").Address} address
 * @param {boolean} onIOS
 */
export const mapOf = (address, onIOS) => {
  const query = encodeURIComponent(inOneLine(address));
  return onIOS ? { href: `https://maps.apple.com/?q=${query}`, target: "_blank", rel: "noreferrer" } : { href: `geo:0,0?q=${query}` };
};
