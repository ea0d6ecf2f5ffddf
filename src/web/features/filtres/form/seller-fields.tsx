/** A filter's conditions on sellers, folded because few filters have any. */
import { NativeSelect, TextInput } from "@mantine/core";
import { countriesProblemOf, type FiltreDraft, openingOf, type PickersProps } from "./draft.ts";
import { useFold } from "./use-fold.ts";
import { ListPicker } from "../../../ui/pickers/picker.tsx";
import { textField, Unit } from "../../../ui/windows/text-field.tsx";

/** The countries offered: those of the marketplace. A filter may also contain others. */
const MARKET_COUNTRIES = [
  "FR",
  "BE",
  "LU",
  "CH",
  "ES",
  "IT",
  "PT",
  "NL",
  "DE",
  "AT",
  "PL",
  "CZ",
  "SK",
  "HU",
  "RO",
  "LT",
  "LV",
  "EE",
  "FI",
  "SE",
  "DK",
  "GB",
  "IE",
  "GR",
  "HR",
  "SI",
];

const UNKNOWN_OPTIONS = [
  { value: "retenir", label: "Retenir" },
  { value: "laisser_passer", label: "Laisser passer" },
];

export function SellerFields(props: PickersProps) {
  const { draft, problems, onChange } = props;
  const { sellerCountries, sellerUnknown } = draft;
  const text = textField(props);
  // Said at once: what was checked last is what is too much.
  const countriesProblem = countriesProblemOf(sellerCountries);
  const hasProblem =
    problems.sellerRatingText !== undefined ||
    problems.sellerReviewsText !== undefined ||
    problems.sellerCountries !== undefined;
  const summary = summaryOf(draft);
  const fold = useFold(hasProblem);
  const options = [...new Set([...MARKET_COUNTRIES, ...sellerCountries])].map((id) => ({
    id,
    label: nameOf(id),
  }));
  return (
    <details className="fold wide" {...fold}>
      <summary>
        <span className="clip">Vendeur{summary === "" ? "" : `\u00A0: ${summary}`}</span>
      </summary>
      <div className="filtre-form__grid rules-fields__grid">
        <TextInput
          label="Note minimum"
          description="De 1 à 5. Vide : toutes."
          inputMode="decimal"
          rightSection={<Unit text="/ 5" />}
          {...text("sellerRatingText")}
        />
        <TextInput
          label="Avis minimum"
          description="Nombre d'avis reçus. Vide : tous."
          inputMode="numeric"
          rightSection={<Unit text="avis" />}
          rightSectionWidth={52}
          {...text("sellerReviewsText")}
        />
        <div>
          <ListPicker
            label="Pays"
            all="Tous"
            options={options}
            chosenIds={sellerCountries}
            {...openingOf(props, "countries")}
            onChange={(codes) => onChange({ sellerCountries: codes })}
          />
          {countriesProblem === undefined ? null : (
            <p className="hint toned" data-tone="bad" role="alert">
              {countriesProblem}
            </p>
          )}
        </div>
        <NativeSelect
          label="Si inconnu"
          description="Quand Vinted ne dit rien du vendeur : attendre, puis écarter l'article, ou le montrer."
          data={UNKNOWN_OPTIONS}
          value={sellerUnknown}
          onChange={({ currentTarget: { value } }) =>
            onChange({ sellerUnknown: value === "laisser_passer" ? "laisser_passer" : "retenir" })
          }
        />
      </div>
    </details>
  );
}

/** "note 4,5, 10 avis, France, Belgique"; empty without conditions. */
function summaryOf(draft: FiltreDraft): string {
  return [
    ...(draft.sellerRatingText.trim() === "" ? [] : [`note ${draft.sellerRatingText.trim()}`]),
    ...(draft.sellerReviewsText.trim() === "" ? [] : [`${draft.sellerReviewsText.trim()} avis`]),
    ...draft.sellerCountries.map(nameOf),
  ].join(", ");
}

const countryNames = new Intl.DisplayNames("fr", { type: "region", fallback: "code" });

function nameOf(code: string): string {
  return countryNames.of(code) ?? code;
}
