/** Every address at which the web has a page; any other is answered 404. One that ends in "*" holds all below it. */
export const PAGE_PATHS: readonly string[] = [
  "/",
  "/synapse",
  "/synapse/*",
  ...[
    "/a-propos",
    "/blog",
    "/carrieres",
    "/contact",
    "/conditions",
    "/confidentialite",
    "/cookies",
    "/rgpd",
  ].flatMap((path) => [path, `${path}/`]),
];
