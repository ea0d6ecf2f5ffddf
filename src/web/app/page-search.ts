/** Search parameters of the screens' URLs; unknown parameters and values are ignored. */
type Search = Readonly<Record<string, unknown>>;

interface FiltresSearch {
  readonly vue?: "autobuy" | "prives" | "publics";
  /** Opens the form for a new filter, with the values below. */
  readonly nouveau?: true;
  readonly tag?: string;
  /** Ids of the catalogue. */
  readonly type?: number;
  readonly marque?: number;
  /** Price limit, in whole euros. */
  readonly limite?: number;
}

export function parseFiltresSearch(search: Search): FiltresSearch {
  const { vue, tag, limite } = search;
  const isKnownView = vue === "autobuy" || vue === "prives" || vue === "publics";
  return {
    ...(isKnownView ? { vue } : {}),
    ...(search["nouveau"] === true
      ? {
          nouveau: true,
          ...(typeof tag === "string" ? { tag } : {}),
          ...parsePrixSearch(search),
          ...(isId(limite) ? { limite } : {}),
        }
      : {}),
  };
}

interface AchatsSearch {
  /** Opens the dialog of missed purchases. */
  readonly manques?: true;
}

interface PrixSearch {
  /** Ids of the catalogue. */
  readonly type?: number;
  readonly marque?: number;
}

export function parsePrixSearch({ type, marque }: Search): PrixSearch {
  return { ...(isId(type) ? { type } : {}), ...(isId(marque) ? { marque } : {}) };
}

function isId(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) > 0;
}

export function parseAchatsSearch(search: Search): AchatsSearch {
  return search["manques"] === true ? { manques: true } : {};
}

interface RejeuSearch {
  /** Id of the filter to backtest; "" for none. */
  readonly f: string;
}

export function parseRejeuSearch({ f }: Search): RejeuSearch {
  return { f: typeof f === "string" ? f : "" };
}
