/** Bodies and queries that nobody should send, and somebody will. */
import * as fc from "fast-check";

const anything = fc.jsonValue({ maxDepth: 3 });
const ids = fc.oneof(anything, fc.array(fc.oneof(fc.integer(), fc.double(), fc.constantFrom(221, 53, 6, 1))));
const selection = fc.oneof(anything, fc.record({ ids, names: anything }, { requiredKeys: [] }));
const text = fc.oneof(anything, fc.string({ unit: "binary" }), fc.string({ unit: "grapheme" }));
const number = fc.oneof(anything, fc.double(), fc.integer(), fc.constantFrom(0, 1, 11, 100, 100_001));
const flag = fc.oneof(fc.boolean(), anything);

/** Nearly right, so that it gets past the first checks. */
const nearlyRight = fc.record(
  {
    _id: text,
    IDs: fc.oneof(anything, fc.array(text)),
    id: number,
    price: fc.oneof(anything, fc.record({ amount: text, currency_code: fc.constantFrom("EUR", "USD", 1) })),
    tag: fc.oneof(text, fc.constant("Robes")),
    active: flag,
    autobuy: flag,
    private: flag,
    types: selection,
    brands: selection,
    sizes: selection,
    status: selection,
    color: fc.oneof(text, fc.constantFrom("", "Red", "__proto__", "constructor")),
    limit: number,
    paiement: number,
    info: text,
    mots: fc.oneof(anything, fc.array(text)),
    exclure: fc.oneof(anything, fc.array(text)),
    max_achats: number,
    token: text,
    discord: fc.oneof(text, fc.constant("https://discord.com/api/webhooks/1/2")),
    adresse: fc.oneof(
      anything,
      fc.record({ rue: text, ville: text, code_postal: number, pays: fc.oneof(text, fc.constant("France")) }),
    ),
    relais: fc.oneof(anything, fc.array(text)),
    limites: fc.oneof(anything, fc.record({ jour: number, mois: number, achats_jour: number, arret: flag })),
  },
  { requiredKeys: [] },
);

/** What somebody may send as a body: nearly right, any JSON, or no JSON at all. */
export const anyBody = fc.oneof(nearlyRight, anything, fc.string({ unit: "binary" }));

const piece = fc.oneof(
  fc.stringMatching(/^[!-~]{0,20}$/),
  fc.constantFrom("q=", "limit=", "&", "%", "%00", "%c3%28", "[]", "=1", "__proto__"),
);

export const anyQuery = fc
  .array(piece, { maxLength: 6 })
  .map((pieces) => pieces.join("").replaceAll("#", ""));
