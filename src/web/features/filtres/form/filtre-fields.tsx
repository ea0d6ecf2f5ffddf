/** The fields of the filter form in three parts: what every filter has, what narrows it down, how it buys and is shared. */
import { NativeSelect, Switch, Textarea, TextInput } from "@mantine/core";
import { IconLock } from "@tabler/icons-react";
import { Suspense, lazy, useState, type ReactNode } from "react";
import { conditions } from "#catalogue/conditions.ts";
import { paymentMethods } from "#catalogue/payment-methods.ts";
import { autobuyLabel, planByKey } from "#catalogue/plans.ts";
import { MAX_TAG_LENGTH } from "#contract/bounds.ts";
import type { Filtre } from "#contract/filtres/filtre.ts";
import type { Utilisateur } from "#contract/compte.ts";
import type { Rejeu } from "#contract/filtres/rejeu.ts";
import { PaymentChoice } from "../../../ui/payment-choice.tsx";
import { cheapestText } from "../replay/replay-texts.ts";
import { AlertFields, alertLabel } from "./alert-fields.tsx";
import { BrandPicker } from "../../../ui/pickers/brand-picker.tsx";
import { colourLabel, ColourPicker, conditionLabels, SizePicker, sizeTitles } from "./detail-pickers.tsx";
import { type BargainText, limitOf, type DraftField, type FiltreDraft, type problemsOf } from "./draft.ts";
import { ListPicker } from "../../../ui/pickers/picker.tsx";
import { RulesFields } from "./rules-fields.tsx";
import { TypePicker } from "../../../ui/pickers/type-picker.tsx";

/** Lazy: few filters ask for sellers. */
const SellerFields = lazy(async () => ({ default: (await import("./seller-fields.tsx")).SellerFields }));

const LOCKED_TEXT = "Réservé aux offres Acquire et Thunder.";

export type PickerName = "types" | "brands" | "sizes" | "conditions" | "colour";

interface FieldsProps {
  readonly draft: FiltreDraft;
  /** Empty until the person tried to save. */
  readonly problems: ReturnType<typeof problemsOf>;
  readonly onChange: (changes: Partial<FiltreDraft>) => void;
}

interface PickersProps extends FieldsProps {
  /** Only one dropdown is open at a time (specification §2). */
  readonly openPicker: PickerName | null;
  readonly onOpenPicker: (name: PickerName | null) => void;
}

function openingOf({ openPicker, onOpenPicker }: PickersProps, name: PickerName) {
  const isOpen = openPicker === name;
  return { isOpen, onToggle: () => onOpenPicker(isOpen ? null : name) };
}

interface EssentialsProps extends PickersProps {
  readonly edited: Filtre | null;
  /** What the filter would have found lately; undefined while that is not known. */
  readonly found: Rejeu | undefined;
}

/** Tag, price, types and brands: all that most filters need. */
export function Essentials(props: EssentialsProps) {
  const { draft, problems, onChange, edited, found } = props;
  return (
    <section className="modal-form__part filtre-form__grid">
      <TextInput
        label="Tag *"
        required
        withAsterisk={false}
        data-autofocus
        maxLength={MAX_TAG_LENGTH}
        autoComplete="off"
        value={draft.tag}
        error={problems.tag}
        onChange={(event) => onChange({ tag: event.currentTarget.value })}
      />
      <TextInput
        label="Limite de prix"
        inputMode="decimal"
        rightSection="€"
        autoComplete="off"
        description="En EUR, hors livraison, sans les centimes"
        inputWrapperOrder={["label", "input", "description", "error"]}
        value={draft.limitText}
        error={problems.limitText}
        onChange={(event) => onChange({ limitText: event.currentTarget.value })}
        onBlur={() => onChange({ limitText: String(limitOf(draft.limitText)) })}
      />
      <NativeSelect
        label="Sous le prix habituel"
        data={BARGAIN_CHOICES}
        description={<BargainHints draft={draft} found={found} />}
        inputWrapperOrder={["label", "input", "description", "error"]}
        value={draft.bargainText}
        onChange={(event) => onChange({ bargainText: chosenBargain(event.currentTarget.value) })}
      />
      <TypePicker
        {...openingOf(props, "types")}
        chosenIds={draft.typeIds}
        onChange={(typeIds) => onChange({ typeIds })}
      />
      <BrandPicker
        {...openingOf(props, "brands")}
        chosenIds={draft.brandIds}
        otherTitles={brandTitlesOf(edited)}
        onChange={(brandIds) => onChange({ brandIds })}
      />
    </section>
  );
}

/** What there is at which price; until it is known its room is kept, so that nothing moves. */
function BargainHints({ draft, found }: Pick<EssentialsProps, "draft" | "found">) {
  const cheapest = found === undefined ? "" : cheapestText(found);
  return (
    <>
      {cheapest === null ? null : <span className="filtre-form__cheapest">{cheapest}</span>}
      {draft.autobuy && draft.bargainText !== "" ? (
        <span>Pour acheter seul : au moins 20 annonces semblables, vues sur 7 jours.</span>
      ) : null}
    </>
  );
}

/** What narrows a filter further down. */
export function Details(props: PickersProps) {
  const { draft, onChange } = props;
  const chosen = [
    ...sizeTitles(draft.sizeIds),
    ...conditionLabels(draft.conditionIds),
    ...(draft.color === "" ? [] : [colourLabel(draft.color)]),
  ];
  return (
    <Disclosure title="Tailles, états, couleur" summary={chosen.join(", ")} startsOpen={chosen.length > 0}>
      <div className="filtre-form__grid">
        <SizePicker
          {...openingOf(props, "sizes")}
          chosenIds={draft.sizeIds}
          typeIds={draft.typeIds}
          onChange={(sizeIds) => onChange({ sizeIds })}
        />
        <ListPicker
          {...openingOf(props, "conditions")}
          label="États"
          all="Tous"
          options={conditions}
          chosenIds={draft.conditionIds}
          onChange={(conditionIds) => onChange({ conditionIds })}
        />
        <ColourPicker
          {...openingOf(props, "colour")}
          name={draft.color}
          onChange={(color) => onChange({ color })}
        />
      </div>
    </Disclosure>
  );
}

const BARGAIN_CHOICES: { readonly value: BargainText; readonly label: string }[] = [
  { value: "", label: "Peu importe" },
  { value: "25", label: "Les 25 % les moins chers" },
  { value: "10", label: "Les 10 % les moins chers" },
  { value: "5", label: "Les 5 % les moins chers" },
];

function chosenBargain(text: string): BargainText {
  return BARGAIN_CHOICES.find(({ value }) => value === text)?.value ?? "";
}

const OPTION_FIELDS: readonly DraftField[] = [
  "info",
  "wordsText",
  "excludedText",
  "maxPurchasesText",
  "floorText",
  "sellerRatingText",
  "sellerReviewsText",
];

/** How it buys, who sees it, and what few filters need. */
export function Options(props: FieldsProps & { readonly user: Utilisateur }) {
  const { draft, problems, onChange, user } = props;
  const autobuy = autobuyLabel(user.level) ?? "Acquire";
  const payment = paymentMethods.find(({ id }) => id === draft.paiement)?.label ?? "";
  const asksForMore = draft.ignoresRelists || draft.sellerCountries.length > 0;
  const isUsed =
    draft.autobuy || draft.simulation || asksForMore || OPTION_FIELDS.some((field) => draft[field] !== "");
  const summary = [
    ...(draft.autobuy ? [autobuy] : []),
    draft.isPrivate ? "Privé" : "Publique",
    payment,
    ...(draft.simulation ? ["Simulation"] : []),
    ...(draft.alerte === "sonore" ? [] : [`Alertes : ${alertLabel(draft.alerte)}`]),
  ].join(", ");
  return (
    <Disclosure
      title="Achat, partage et options"
      summary={summary}
      startsOpen={isUsed}
      hasProblem={[...OPTION_FIELDS, "alertsText"].some((field) => field in problems)}
    >
      <div className="filtre-form__grid">
        <AutobuySwitch {...props} label={autobuy} />
        <Switch
          label={draft.isPrivate ? "Privé" : "Publique"}
          description={
            draft.isPrivate
              ? "Vous seul voyez ce filtre."
              : "Les autres abonnés peuvent voir et copier ses critères, jamais votre nom ni vos achats."
          }
          aria-label="Privé"
          checked={draft.isPrivate}
          onChange={(event) => onChange({ isPrivate: event.currentTarget.checked })}
        />
        {draft.autobuy ? <RulesFields {...props} /> : null}
        <PaymentChoice
          label="Moyen de paiement"
          chosenId={draft.paiement}
          onChange={(paiement) => onChange({ paiement })}
        />
        <AlertFields {...props} />
        <Textarea
          label="Info supp"
          placeholder="Pour vous seul"
          autosize={false}
          rows={1}
          value={draft.info}
          error={problems.info}
          onChange={(event) => onChange({ info: event.currentTarget.value })}
        />
        <RareOptions {...props} />
      </div>
    </Disclosure>
  );
}

function AutobuySwitch(props: FieldsProps & { readonly user: Utilisateur; readonly label: string }) {
  const { draft, onChange, user, label } = props;
  const isLocked = !planByKey(user.plan).hasAutobuy;
  return (
    <Switch
      className="filtre-form__autobuy"
      data-lane={label.toLowerCase()}
      label={
        <>
          {label}
          {isLocked ? <IconLock size={14} aria-hidden="true" /> : null}
        </>
      }
      description={
        isLocked ? LOCKED_TEXT : "Achète de lui-même chaque nouvel article trouvé, sans vous attendre."
      }
      disabled={isLocked}
      checked={draft.autobuy && !isLocked}
      onChange={(event) => onChange({ autobuy: event.currentTarget.checked })}
    />
  );
}

/** As it will be sent; nothing for no floor. */
function floorTextOf(text: string): string {
  const floor = limitOf(text);
  return floor === 0 ? "" : String(floor);
}

function RareOptions({ draft, problems, onChange }: FieldsProps) {
  return (
    <>
      <TextInput
        label="Mots à contenir"
        description="Tous doivent être dans le titre. Séparez-les par des virgules, et par « | » les façons de dire le même."
        placeholder="vintage, tech fleece | techfleece"
        autoComplete="off"
        value={draft.wordsText}
        error={problems.wordsText}
        onChange={(event) => onChange({ wordsText: event.currentTarget.value })}
      />
      <TextInput
        label="Mots à exclure"
        description="Aucun ne doit être dans le titre. Séparez-les par des virgules."
        placeholder="lot, taché"
        autoComplete="off"
        value={draft.excludedText}
        error={problems.excludedText}
        onChange={(event) => onChange({ excludedText: event.currentTarget.value })}
      />
      <TextInput
        label="Arrêter après"
        description="Nombre d'achats après lequel l'achat automatique s'arrête. Vide : jamais."
        inputMode="numeric"
        rightSection={<span className="aside">achats</span>}
        rightSectionWidth={64}
        autoComplete="off"
        value={draft.maxPurchasesText}
        error={problems.maxPurchasesText}
        onChange={(event) => onChange({ maxPurchasesText: event.currentTarget.value })}
      />
      <Switch
        label="Simulation"
        description="L'achat automatique décide et note ce qu'il aurait acheté, mais ne paie rien."
        checked={draft.simulation}
        onChange={(event) => onChange({ simulation: event.currentTarget.checked })}
      />
      <TextInput
        label="Prix minimum"
        description="En EUR, hors livraison, sans les centimes. Vide : aucun."
        inputMode="decimal"
        rightSection={<span className="aside">€</span>}
        autoComplete="off"
        value={draft.floorText}
        error={problems.floorText}
        onChange={(event) => onChange({ floorText: event.currentTarget.value })}
        onBlur={() => onChange({ floorText: floorTextOf(draft.floorText) })}
      />
      <Switch
        label="Ignorer les republications"
        description="Laisse de côté ce que le vendeur avait déjà mis en ligne, sauf à un prix jamais aussi bas."
        checked={draft.ignoresRelists}
        onChange={(event) => onChange({ ignoresRelists: event.currentTarget.checked })}
      />
      <Suspense>
        <SellerFields draft={draft} problems={problems} onChange={onChange} />
      </Suspense>
    </>
  );
}

interface DisclosureProps {
  readonly title: string;
  /** The values set inside, shown while it is closed; empty without any. */
  readonly summary: string;
  readonly startsOpen: boolean;
  /** A field inside is to be mended: it must be in sight. */
  readonly hasProblem?: boolean;
  readonly children: ReactNode;
}

/** Folds fields away. Once open it stays open, also when the last of its fields is emptied. */
function Disclosure({ title, summary, startsOpen, hasProblem = false, children }: DisclosureProps) {
  const [isOpen, setIsOpen] = useState(startsOpen);
  return (
    <details
      className="filtre-form__fold fold"
      open={isOpen || hasProblem}
      onToggle={(event) => setIsOpen(event.currentTarget.open)}
    >
      <summary>
        <span>{title}</span>
        {isOpen || summary === "" ? null : <span className="filtre-form__folded clip">{summary}</span>}
      </summary>
      <div className="filtre-form__unfolded">{children}</div>
    </details>
  );
}

function brandTitlesOf(filtre: Filtre | null): ReadonlyMap<number, string> {
  if (filtre === null) return new Map();
  const { ids, names } = filtre.brands;
  return new Map(ids.map((id, index) => [id, names[index] ?? String(id)]));
}
