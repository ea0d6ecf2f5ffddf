/** What the address of the filters page may carry. */
interface FiltresSearch {
  readonly vue?: "autobuy" | "prives" | "publics";
  /** Opens the form for a new filter. */
  readonly nouveau?: true;
}

/** Ignores unknown parameters and values. */
export function parseFiltresSearch(search: Readonly<Record<string, unknown>>): FiltresSearch {
  const vue = search["vue"];
  const isKnownView = vue === "autobuy" || vue === "prives" || vue === "publics";
  return {
    ...(isKnownView ? { vue } : {}),
    ...(search["nouveau"] === true ? { nouveau: true } : {}),
  };
}
