/** Every address of a page of the web; others are 404. One that ends in "*" includes all below it. */
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
