import { BESIDE, bugsIn, type Mutant } from "./mutant.ts";

/** Bugs in the panel's pure modules: what it shows, sends and stores. */
export const panel: readonly Mutant[] = [
  ...bugsIn("src/web/api/live/stream-items.ts", BESIDE, [
    ["panel: an older version is a fall", "if (item.vu_a < before.vu_a) return false;", ""],
    [
      "panel: a listing that comes again stands twice",
      "again.size === 0 ? known : ",
      "again.size > 0 ? known : ",
    ],
    [
      "panel: prices are compared as texts",
      "amountOf(one) > amountOf(other)",
      "one.total_item_price.amount > other.total_item_price.amount",
    ],
  ]),
  ...bugsIn("src/web/api/live/arrival-queue.ts", BESIDE, [
    ["panel: arrivals come in under a hand", "if (holding.get()) hold();", "if (!holding.get()) hold();"],
  ]),
  ...bugsIn("src/web/api/live/purchase-outcomes.ts", BESIDE, [
    ["panel: what was simulated cannot be bought", "if (purchase.simulation === true) continue;", ""],
    ["panel: what is being established is bought", "if (status !== ACHAT_EN_ATTENTE) return", "return"],
  ]),
  ...bugsIn("src/web/features/achats/achat-status.ts", BESIDE, [
    ["panel: what was never ordered can be cancelled", "&& transactionId !== null", ""],
    ["panel: a status nobody knows is confirmed", 'Inconnu", tone: "neutral', 'Confirmé", tone: "good'],
  ]),
  ...bugsIn("src/web/features/achats/purchases-csv.ts", BESIDE, [
    ["panel: a seller's formula runs in a spreadsheet", "[=+\\-@]|^", "[=]|^"],
  ]),
  ...bugsIn(
    "src/web/ui/changed-parts.ts",
    { tests: ["src/web/features/parametres/settings-draft.test.ts"] },
    [
      [
        "panel: saving an address switches a stop off",
        "JSON.stringify(now[name]) === JSON.stringify(known.get(name))",
        "now[name] === undefined",
      ],
    ],
  ),
  ...bugsIn("src/web/api/commands.ts", BESIDE, [
    ["panel: a stop brings back the address from before a save", "number === editCount", "true"],
    ["panel: a save does not wait for a stop", "await Promise.allSettled(earlier);", ""],
    ["panel: a stop waits for a save", "earlier.length > 0", "earlier.length > 9"],
  ]),
  ...bugsIn("src/web/features/parametres/settings-draft.ts", BESIDE, [
    ["panel: an emptied field takes the token away", 'token === "" ? {} : { token }', "{ token }"],
    ["panel: a revealed token is sent as a new one", "shown.includes(text.trim()) ? null : text", "text"],
    ["panel: an untouched limit is sent as it was shown", "changedParts(changes, shown)", "changes"],
    [
      "panel: a relay point added elsewhere is removed",
      "relayEdits.reduce(withRelayEdit, relais)",
      "relayEdits.map(({ name }) => name)",
    ],
    ["panel: a limit without a bound", "&& value <= MAX_GUARD", ""],
  ]),
  ...bugsIn("src/web/features/filtres/form/draft.ts", BESIDE, [
    [
      "panel: what is no number is no limit",
      "wholeEurosIn(text) ?? 0",
      "wholeEurosIn(text) ?? MAX_LIMIT_EUR",
    ],
    [
      "panel: excluded words are wanted",
      "exclure: wordsOf(draft.excludedText",
      "exclure: wordsOf(draft.wordsText",
    ],
  ]),
  ...bugsIn("src/web/features/filtres/form/search-address.ts", BESIDE, [
    ["panel: an address makes a filter pay more than it asks", "min(Math.floor", "min(Math.ceil"],
    ["panel: pounds are taken for euros", 'currency === "EUR" && ', ""],
    ["panel: ids that nobody knows get into a filter", "return ids.filter(isKnown);", "return [...ids];"],
  ]),
  ...bugsIn("src/web/ui/pickers/type-picker.tsx", BESIDE, [
    ["panel: a leaf taken out of a branch takes its siblings along", ", ...siblings];", "];"],
  ]),
  ...bugsIn("src/web/features/produits/rows.ts", BESIDE, [
    [
      "panel: a blocked seller is shown",
      "filter(({ user }) => !isBlocked(user))",
      "filter(({ user }) => isBlocked(user))",
    ],
  ]),
  ...bugsIn("src/web/ui/format.ts", BESIDE, [
    ["panel: no amount is told as 0", 'if (amount.trim() === "") return "Prix inconnu";', ""],
  ]),
];
