/** The version of this package, which is that of the service. */
export const version = "0.2.0";
