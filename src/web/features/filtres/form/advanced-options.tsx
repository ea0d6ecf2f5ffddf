/** Fields that few filters need, folded below the common ones. */
import { Switch, TextInput } from "@mantine/core";
import { Suspense, type ReactNode } from "react";
import { AlertFields, alertLabel } from "./alert-fields.tsx";
import { wholeEurosIn } from "../../../ui/format-panel.ts";
import { WindowGuard } from "../../../ui/loading/guard.tsx";
import { lazyPart } from "../../../ui/loading/lazy-part.ts";
import { Loading } from "../../../ui/loading/unread-part.tsx";
import { textField, Unit } from "../../../ui/windows/text-field.tsx";
import { limitOf, type DraftField, type FiltreDraft, type PickersProps } from "./draft.ts";
import { useFold } from "./use-fold.ts";

/** Lazy: few filters have conditions on sellers. */
const SellerFields = lazyPart(async () => (await import("./seller-fields.tsx")).SellerFields);

const ADVANCED_FIELDS: readonly DraftField[] = [
  "wordsText",
  "excludedText",
  "maxPurchasesText",
  "alertsText",
  "floorText",
  "sellerRatingText",
  "sellerReviewsText",
  "sellerCountries",
];

export function AdvancedOptions(props: PickersProps) {
  const { draft, problems } = props;
  return (
    <Disclosure
      title="Options avancées"
      summary={advancedSummary(draft)}
      hasProblem={ADVANCED_FIELDS.some((field) => field in problems)}
    >
      <div className="filtre-form__grid">
        <AdvancedFields {...props} />
      </div>
    </Disclosure>
  );
}

/** "vintage, sans lot, Simulation"; empty if every field has its default. */
function advancedSummary(draft: FiltreDraft): string {
  const { wordsText, excludedText, maxPurchasesText, floorText, sellerRatingText, sellerReviewsText } = draft;
  const asksSellers =
    sellerRatingText.trim() !== "" || sellerReviewsText.trim() !== "" || draft.sellerCountries.length > 0;
  return [
    wordsText.trim(),
    excludedText.trim() === "" ? "" : `sans ${excludedText.trim()}`,
    maxPurchasesText.trim() === "" ? "" : `arrêt après ${maxPurchasesText.trim()}`,
    draft.simulation ? "Simulation" : "",
    draft.alerte === "sonore" ? "" : `Alertes : ${alertLabel(draft.alerte)}`,
    floorText.trim() === "" ? "" : `dès ${floorText.trim()}\u00A0€`,
    draft.ignoresRelists ? "sans republications" : "",
    asksSellers ? "selon le vendeur" : "",
  ]
    .filter((part) => part !== "")
    .join(", ");
}

/** The floor as it will be sent; empty for none. What is no amount stays, to be corrected. */
function floorTextOf(text: string): string {
  if (wholeEurosIn(text) === null) return text.trim();
  const floor = limitOf(text);
  return floor === 0 ? "" : String(floor);
}

function AdvancedFields(props: PickersProps) {
  const { draft, problems, onChange } = props;
  const text = textField(props);
  return (
    <>
      <TextInput
        label="Mots à contenir"
        description="Tous doivent être dans le titre. Séparez-les par des virgules, et par « | » les façons de dire le même."
        placeholder="vintage, tech fleece | techfleece"
        {...text("wordsText")}
      />
      <TextInput
        label="Mots à exclure"
        description="Aucun ne doit être dans le titre. Séparez-les par des virgules."
        placeholder="lot, taché"
        {...text("excludedText")}
      />
      <TextInput
        label="Arrêter après"
        description="Nombre d'achats après lequel l'achat automatique s'arrête. Vide : jamais."
        inputMode="numeric"
        rightSection={<Unit text="achats" />}
        rightSectionWidth={64}
        {...text("maxPurchasesText")}
      />
      <Switch
        label="Simulation"
        description="L'achat automatique décide et note ce qu'il aurait acheté, mais ne paie rien."
        checked={draft.simulation}
        onChange={(event) => onChange({ simulation: event.currentTarget.checked })}
      />
      <AlertFields draft={draft} problems={problems} onChange={onChange} />
      <TextInput
        label="Prix minimum"
        description="En EUR, hors livraison, sans les centimes. Vide : aucun."
        inputMode="decimal"
        rightSection={<Unit text="€" />}
        {...text("floorText")}
        onBlur={() => onChange({ floorText: floorTextOf(draft.floorText) })}
      />
      <Switch
        label="Ignorer les republications"
        description="Laisse de côté ce que le vendeur avait déjà mis en ligne, sauf à un prix jamais aussi bas."
        checked={draft.ignoresRelists}
        onChange={(event) => onChange({ ignoresRelists: event.currentTarget.checked })}
      />
      <WindowGuard>
        <Suspense
          fallback={<Loading className="wide" height={44} label="Chargement des conditions sur le vendeur" />}
        >
          <SellerFields {...props} />
        </Suspense>
      </WindowGuard>
    </>
  );
}

interface DisclosureProps {
  readonly title: string;
  /** The values set inside, shown while it is closed; empty without any. */
  readonly summary: string;
  /** A field inside is invalid, so the fold must be open. */
  readonly hasProblem: boolean;
  readonly children: ReactNode;
}

function Disclosure({ title, summary, hasProblem, children }: DisclosureProps) {
  const fold = useFold(hasProblem);
  return (
    <details className="filtre-form__fold fold" {...fold}>
      <summary>
        <span>{title}</span>
        {fold.open || summary === "" ? null : <span className="filtre-form__folded clip">{summary}</span>}
      </summary>
      <div className="filtre-form__unfolded">{children}</div>
    </details>
  );
}
