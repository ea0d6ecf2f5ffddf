import { swap, type Mutant } from "./mutant.ts";

/** What the panel would show, send or keep wrongly: its pure parts, where each decision of a screen is made. */
const WEB = "src/web";

export const panel: readonly Mutant[] = [
  ...inFile("api/stream-items", [
    ["an older version is a fall", "if (item.vu_a < before.vu_a) return false;", ""],
    [
      "a corrected price is still a fall",
      "const { previousAmount: _fellFrom, ...rest } = item;",
      "const rest = item;",
    ],
    ["a listing that comes again stands twice", "again.size === 0 ? known : ", "again.size > 0 ? known : "],
    ["of what is held the newest leaves", ".slice(0, MAX_HELD_ITEMS)", ".slice(-MAX_HELD_ITEMS)"],
    [
      "what is held takes memory beside a full list",
      "return shown.slice(0, MAX_STREAM_ITEMS - heldCount);",
      "return shown;",
    ],
    [
      "what was there before comes in front of what is newer",
      "next.id < item.id; next",
      "next.id > item.id; next",
    ],
    ["the newest listing stands in front of itself", "id > newestId", "id >= newestId"],
    [
      "prices are compared as texts",
      "Number(item.total_item_price.amount) < Number(before.total_item_price.amount)",
      "item.total_item_price.amount < before.total_item_price.amount",
    ],
    [
      "a price that fell is forgotten with the next news",
      "before.previousAmount === undefined ? item : { ...item",
      "before.previousAmount !== undefined ? item : { ...item",
    ],
    [
      "a listing that another filter holds goes with the first",
      "filtres.some((id) => !goneIds",
      "filtres.every((id) => !goneIds",
    ],
  ]),
  ...inFile("api/arrival-queue", [
    ["arrivals come in under a hand", "if (isHolding) hold();", "if (!isHolding) hold();"],
    ["a list that has just changed changes again", "shownAtMs + STILL_MS", "shownAtMs"],
    ["what is held is lost when it is asked for", "withArrivals(held.get(), waiting)", "waiting"],
  ]),
  ...inFile("api/filtre-edit", [
    ["a switch changes nothing", "{ ...filtre, ...changes }", "{ ...changes, ...filtre }"],
  ]),
  ...inFile("api/hidden-sellers", [
    [
      "of hidden sellers the latest are forgotten",
      "logins.slice(-MAX_HIDDEN_SELLERS)",
      "logins.slice(0, MAX_HIDDEN_SELLERS)",
    ],
    ["whatever is kept is believed to be logins", 'typeof login === "string" && login !== ""', "login !== 0"],
  ]),
  ...inFile("api/purchase-outcomes", [
    ["what was simulated cannot be bought", "if (purchase.simulation === true) continue;", ""],
    [
      "what waits for the bank stays busy",
      "if (purchase_confirmation === null) return BUSY;",
      "return BUSY;",
    ],
    [
      "what is being established is bought",
      "if (status !== ACHAT_EN_ATTENTE) return BOUGHT;",
      "return BOUGHT;",
    ],
    ["an older failure hides the newest", '|| outcome.kind === "failed"', ""],
  ]),
  ...inFile("features/achats/achat-status", [
    ["what was never ordered can be cancelled", " && transactionId !== null", ""],
    ["what is being cancelled can be cancelled again", " && annulation === undefined", ""],
    [
      "the oldest purchase stands first",
      "other.purchase_date - one.purchase_date",
      "one.purchase_date - other.purchase_date",
    ],
    [
      "a status nobody knows is confirmed",
      '{ label: "Inconnu", tone: "neutral" }',
      '{ label: "Confirmé", tone: "good" }',
    ],
  ]),
  ...inFile("features/achats/purchases-csv", [
    ["a seller's formula runs in a spreadsheet", "[=+\\-@]|^", "[=]|^"],
    ["a quote ends its cell", `.replaceAll('"', '""')`, ""],
    ["a refund is no number", "/^-?\\d+(,\\d+)?$/u.test(text)", "/^\\d+(,\\d+)?$/u.test(text)"],
    ["a rehearsal looks like a purchase", 'purchase.simulation === true ? "Simulation" : ', ""],
  ]),
  ...inFile("features/achats/time-line", [
    [
      "each moment is told since the first",
      "durationText(a - before.a)",
      "durationText(a - (etapes[0]?.a ?? a))",
    ],
  ]),
  ...inFile("features/parametres/settings-draft", [
    [
      "saving an address switches a stop off",
      "if (JSON.stringify(now[name]) === JSON.stringify(before[name])) delete",
      "if (now[name] === undefined) delete",
    ],
    ["the mask of the token is sent as a token", 'token !== "" && token !== opened.token', 'token !== ""'],
    [
      "an emptied field takes the token away",
      'token !== "" && token !== opened.token',
      "token !== opened.token",
    ],
    ["a limit without a bound", " && value <= MAX_GUARD", ""],
  ]),
  ...inFile("features/filtres/form/draft", [
    ["what is no number is no limit", "wholeEurosIn(text) ?? 0", "wholeEurosIn(text) ?? MAX_LIMIT_EUR"],
    [
      "a limit without a bound is sent",
      "Math.min(wholeEurosIn(text) ?? 0, MAX_LIMIT_EUR)",
      "wholeEurosIn(text) ?? 0",
    ],
    ["a stop after 0 purchases", "count >= 1", "count >= 0"],
    [
      "a word counts twice",
      '[...new Set(words.filter((word) => word !== ""))]',
      'words.filter((word) => word !== "")',
    ],
    [
      "excluded words are wanted",
      "exclure: wordsOf(draft.excludedText)",
      "exclure: wordsOf(draft.wordsText)",
    ],
  ]),
  ...inFile("features/filtres/form/draft-warnings", [
    [
      "a part of a word excludes it",
      "` ${foldText(word)} `.includes(` ${unwanted} `)",
      "foldText(word).includes(unwanted)",
    ],
    [
      "sizes of no chosen type are said to have no effect in part",
      "idle.length === sizeIds.length",
      "idle.length > sizeIds.length",
    ],
  ]),
  ...inFile("features/filtres/form/preview-text", [
    ["the stock of a few minutes is told as a rate", "Math.max(spanMs, HOUR_MS)", "spanMs"],
    [
      "an automatic purchase is as broad as a look",
      "isAutobuy && perHour > BROAD_AUTOBUY_PER_HOUR",
      "isAutobuy && perHour > BROAD_PER_HOUR",
    ],
  ]),
  ...inFile("features/filtres/form/search-address", [
    [
      "an address makes a filter pay more than it asks",
      "Math.min(Math.floor(euros), MAX_LIMIT_EUR)",
      "Math.min(Math.ceil(euros), MAX_LIMIT_EUR)",
    ],
    ["pounds are taken for euros", 'currency !== "EUR" || ', ""],
    ["ids that nobody knows get into a filter", "return ids.filter(isKnown);", "return [...ids];"],
    ["any scheme is an address", "!/^https?:$/u.test(address.protocol)", 'address.protocol === ""'],
  ]),
  ...inFile("features/filtres/form/type-tree", [
    ["a leaf taken out of a branch takes its brothers along", ", ...brothers];", "];"],
    [
      "a chosen branch leaves what was chosen below it",
      "chosenIds.filter((each) => !below.has(each))",
      "chosenIds",
    ],
  ]),
  ...inFile("features/produits/rows", [
    ["a wide card pushes its button out of sight", "Math.min(MAX_PHOTO_HEIGHT_PX, ", "Math.max(0, "],
    ["the rows above the window are not drawn", "row(-MARGIN_PX)", "row(MARGIN_PX)"],
    ["one word of a search is enough", "words.every((word) => text", "words.some((word) => text"],
    ["a hidden seller is shown", "!hiddenLogins.has(user.login)", "hiddenLogins.has(user.login)"],
  ]),
  ...inFile("ui/format", [
    ["zero is many", "Math.abs(count) < 2", "count === 1"],
    [
      "a currency that nobody knows breaks the page",
      "if (error instanceof RangeError) return",
      "if (error instanceof TypeError) return",
    ],
    ["no amount is told as 0", 'if (amount.trim() === "") return "Prix inconnu";', ""],
  ]),
];

type Bug = readonly [name: string, find: string, replace: string];

/** Bugs of one file, which the tests beside it must catch. */
function inFile(path: string, bugs: readonly Bug[]): readonly Mutant[] {
  const file = `${WEB}/${path}.ts`;
  return bugs.map(([name, find, replace]) => ({
    name: `panel: ${name}`,
    patches: swap(file, find, replace),
    tests: [`${WEB}/${path}.test.ts`],
  }));
}
