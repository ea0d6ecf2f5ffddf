/**
 * Normalises a text for comparison, never for display: lower case, without accents, œ, æ and ß expanded, and every run
 * of other characters replaced by one space. "L'Oréal" becomes "l oreal". Letters with a stroke, ligatures and styled
 * letters become plain ones; invisible characters such as soft hyphens are removed. Idempotent. Cost: linear.
 */
export function foldText(text: string): string {
  const lower = text.toLowerCase();
  const plain = ASCII.test(lower) ? lower : withPlainLetters(lower);
  return plain.replace(ASCII.test(plain) ? /[^a-z0-9]+/g : /[^\p{L}\p{N}]+/gu, " ").trim();
}

/** Faster than the expressions for all characters, and most texts are ASCII once they have no accents. */
const ASCII = /^[ -~]*$/;

function withPlainLetters(lower: string): string {
  const bare = lower.normalize("NFD").replace(/[\p{M}\p{Cf}]+/gu, "");
  if (ASCII.test(bare)) return bare;
  return bare.replace(SPECIAL, (letter) => {
    const compatible = letter.normalize("NFKD").toLowerCase();
    return PLAIN[compatible] ?? compatible;
  });
}

/** The letters of PLAIN, ligatures, and the full-width and mathematical letters with which titles are decorated. */
const SPECIAL = /[œæßøłđı\ufb00-\ufb06\uff10-\uff5a\u{1d400}-\u{1d7ff}]/gu;

const PLAIN: Readonly<Record<string, string>> = {
  œ: "oe",
  æ: "ae",
  ß: "ss",
  ø: "o",
  ł: "l",
  đ: "d",
  ı: "i",
};

/** The words of a text, folded, in order and with repeats; empty for a text without letters or digits. */
export function tokensOf(text: string): readonly string[] {
  const folded = foldText(text);
  return folded === "" ? [] : folded.split(" ");
}

/** Line breaks and other controls, halves of characters, and the marks that turn the direction of the text around them. */
const CONTROLS = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]+/gu;

/**
 * Removes control characters from a third party's text, and those that override its direction: "\u202E" in a title
 * would also reverse the price that follows it.
 */
export function withoutControls(text: string): string {
  return text.replace(CONTROLS, " ").trim();
}

const QUOTED = /^(?:"([^"]*)"|«([^»]*)»|“([^”]*)”)$/u;

/** A phrase without surrounding quotes and spaces. */
export function withoutQuotes(text: string): string {
  return text.trim().replace(QUOTED, "$1$2$3").trim();
}
