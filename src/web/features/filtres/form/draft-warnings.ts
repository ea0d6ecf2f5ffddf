/** What in a draft makes that it can never find anything, or not what was meant; said before it is saved. Pure. */
import { categoryById, leafIdsUnder } from "#catalogue/categories.ts";
import { foldText } from "#catalogue/fold-text.ts";
import { sizeById } from "#catalogue/sizes.ts";
import { formatQuoted } from "../../../ui/format.ts";
import { limitOf, wordsOf, type FiltreDraft } from "./draft.ts";

export interface DraftWarning {
  /** never: nothing can match; partly: some of what was chosen has no effect. */
  readonly kind: "never" | "partly";
  readonly text: string;
}

export function warningsOf(draft: FiltreDraft): readonly DraftWarning[] {
  return [limitWarning(draft), wordsWarning(draft), sizesWarning(draft)].filter(
    (warning) => warning !== undefined,
  );
}

function limitWarning({ limitText }: FiltreDraft): DraftWarning | undefined {
  if (limitOf(limitText) > 0) return undefined;
  return { kind: "never", text: "À 0 €, ce filtre ne trouvera aucun article." };
}

/** A title that holds the required words holds, as whole words, what is excluded too. */
function wordsWarning({ wordsText, excludedText }: FiltreDraft): DraftWarning | undefined {
  const required = wordsOf(wordsText);
  const clash = wordsOf(excludedText).find((excluded) => {
    const unwanted = foldText(excluded);
    return unwanted !== "" && required.some((word) => ` ${foldText(word)} `.includes(` ${unwanted} `));
  });
  if (clash === undefined) return undefined;
  return {
    kind: "never",
    text: `${formatQuoted(clash)} est à la fois demandé et exclu : aucun titre ne peut convenir.`,
  };
}

/** A size counts only in the size group of the listing's own type. */
function sizesWarning({ typeIds, sizeIds }: FiltreDraft): DraftWarning | undefined {
  if (typeIds.length === 0 || sizeIds.length === 0) return undefined;
  const groups = new Set(
    typeIds.flatMap(leafIdsUnder).map((leafId) => categoryById(leafId)?.size_id ?? null),
  );
  const idle = sizeIds.filter((id) => !groups.has(sizeById(id)?.sizeGroupId ?? null));
  if (idle.length === 0) return undefined;
  if (idle.length === sizeIds.length) {
    return {
      kind: "never",
      text: "Aucun des types choisis n'a ces tailles : ce filtre ne trouvera aucun article.",
    };
  }
  const names = idle.map((id) => sizeById(id)?.title ?? String(id)).join(", ");
  return { kind: "partly", text: `Sans effet pour les types choisis : ${names}.` };
}
