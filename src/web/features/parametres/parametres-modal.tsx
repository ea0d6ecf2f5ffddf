import { Button, NativeSelect, TextInput } from "@mantine/core";
import { IconBell } from "@tabler/icons-react";
import { useMediaQuery } from "@mantine/hooks";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useId, useState, type ReactNode } from "react";
import { countries, countryByName } from "#catalogue/countries.ts";
import { editSettings } from "../../api/commands.ts";
import type { ReadSettings } from "../../api/panel-answers.ts";
import { queries } from "../../api/queries.ts";
import { ButtonLink, Notice, ReadFailed } from "../../ui/notice.tsx";
import { LoadingList } from "../../ui/loading/unread-part.tsx";
import { paymentMethods } from "#catalogue/payment-methods.ts";
import { Choice } from "../../ui/pickers/choice.tsx";
import { textField } from "../../ui/windows/text-field.tsx";
import { showToast } from "../../ui/toasts/show-toast.ts";
import { FormModal, useUnsaved } from "../../ui/windows/form-modal.tsx";
import { ModalFormFooter } from "../../ui/windows/modal.tsx";
import { useDraftForm } from "../../ui/windows/use-draft-form.ts";
import { useSingleMutation } from "../../ui/windows/use-single-mutation.ts";
import { BlockedSellers } from "./blocked-sellers.tsx";
import { DeleteAccount } from "./delete-account.tsx";
import { DeviceList } from "./devices.tsx";
import { GuardFields, MandateField, StopField } from "./guard-fields.tsx";
import { PurchaseAlerts } from "./purchase-alerts.tsx";
import { RelayList } from "./relay-list.tsx";
import {
  digitsOf,
  hasUnsaved,
  NOTHING_TYPED,
  settingsDraftOf,
  settingsFieldOfWire,
  settingsProblemsOf,
  textFieldOf,
  typedChangeOf,
  withTyped,
  type SettingsPartProps,
} from "./settings-draft.ts";
import { Disconnect, TokenField } from "./token-field.tsx";
import "./parametres.css";

interface ParametresModalProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

export function ParametresModal({ isOpen, onClose }: ParametresModalProps) {
  const settings = useQuery(queries.settings);
  const saved = useLastWhole(settings.data);
  return (
    <FormModal isOpen={isOpen} onClose={onClose} title="Paramètres utilisateur" size={900}>
      {saved !== undefined ? (
        <SettingsForm saved={saved} onDone={onClose} />
      ) : settings.isError || settings.data !== undefined ? (
        <div className="modal-form__fields stack">
          <ReadFailed what="Vos paramètres" onRetry={settings.refetch} />
          <Button onClick={onClose}>Fermer</Button>
        </div>
      ) : (
        <LoadingList
          className="modal-form__fields stack"
          label="Chargement des paramètres"
          heights={[44, 44, 120]}
          radius="md"
        />
      )}
    </FormModal>
  );
}

/** A later read that is partial must not take the form away, with what was typed. */
function useLastWhole(read: ReadSettings | undefined): ReadSettings | undefined {
  const [whole, setWhole] = useState<ReadSettings>();
  const isNew = read !== undefined && read.isPartial !== true && read !== whole;
  if (isNew) setWhole(read);
  return isNew ? read : whole;
}

interface SettingsFormProps {
  readonly saved: ReadSettings;
  readonly onDone: () => void;
}

function SettingsForm({ saved, onDone }: SettingsFormProps) {
  const client = useQueryClient();
  const [typed, setTyped] = useState(NOTHING_TYPED);
  // A focused field keeps its text, so that a refresh changes nothing under the cursor.
  const [held, setHeld] = useState({});
  const draft = settingsDraftOf(saved, { ...held, ...typed });
  const isUnsaved = hasUnsaved(draft, settingsDraftOf(saved));
  useUnsaved(isUnsaved);
  const save = useSingleMutation({
    mutationFn: () => editSettings((latest) => typedChangeOf(typed, saved, latest)),
    onSuccess: async ({ message }) => {
      await client.invalidateQueries({ queryKey: queries.settings.queryKey });
      showToast({ message });
      onDone();
    },
  });
  const { shown, refusal, set, submit } = useDraftForm({
    draft,
    onChange: (changes) => setTyped((known) => withTyped(known, changes, draft)),
    problems: settingsProblemsOf(draft),
    save,
    send: save.mutate,
    fieldOf: settingsFieldOfWire,
  });
  const part: SettingsPartProps = { draft, problems: shown, onChange: set };

  return (
    <form
      className="settings-form"
      onSubmit={submit}
      onFocus={({ target }) => setHeld(textFieldOf(draft, target.getAttribute("name") ?? ""))}
      onBlur={() => setHeld({})}
      noValidate
    >
      <SectionRail />
      <div className="modal-form__fields">
        <Section title="Données Vinted" saves="button">
          <Choice
            label="Moyen de paiement pour Clicker"
            options={paymentMethods}
            chosenId={draft.paiement}
            onChange={(paiement) => part.onChange({ paiement })}
          />
          <TokenField {...part} saved={saved} />
          <Notice tone="warning">
            Ces informations sont sensibles. Elles sont chiffrées et permettent l'automatisation de vos
            achats.
          </Notice>
          {saved.token === "" ? null : (
            <SectionPart title="Déconnexion" saves="at once">
              <Disconnect />
            </SectionPart>
          )}
        </Section>
        <Section title="Données géographiques" saves="button">
          <AddressFields {...part} />
          <RelayList {...part} />
        </Section>
        <Section title="Garde-fous" saves="button">
          {saved.limites === null ? (
            <Notice tone="neutral">Vos garde-fous n'ont pas pu être lus. Ils restent en vigueur.</Notice>
          ) : (
            <GuardFields {...part} />
          )}
          <SectionPart title="Achats automatiques" saves="at once">
            <StopField />
            {saved.mandat === null ? null : <MandateField mandat={saved.mandat} />}
          </SectionPart>
        </Section>
        <Section title="Vendeurs bloqués" saves="at once">
          <BlockedSellers />
        </Section>
        <Section title="Alertes" saves="at once">
          <ButtonLink
            to="/synapse/alertes"
            leftSection={<IconBell size={18} stroke={1.7} />}
            // On that page already, the link leads nowhere else.
            onClick={isUnsaved || save.isPending ? undefined : onDone}
          >
            Appareils, Telegram et heures calmes
          </ButtonLink>
          <PurchaseAlerts />
        </Section>
        <Section title="Appareils connectés" saves="at once">
          <DeviceList />
        </Section>
        <Section title="Compte" saves="at once">
          <DeleteAccount />
        </Section>
      </div>
      <ModalFormFooter refusal={refusal} save="Sauvegarder" isSaving={save.isPending} onCancel={onDone} />
    </form>
  );
}

const sectionTitles = [
  "Données Vinted",
  "Données géographiques",
  "Garde-fous",
  "Vendeurs bloqués",
  "Alertes",
  "Appareils connectés",
  "Compte",
] as const;

type SectionTitle = (typeof sectionTitles)[number];

const sectionId = (title: SectionTitle): string => `parametres-${sectionTitles.indexOf(title)}`;

/** Below this width there is no room for the rail beside the form (the same as in parametres.css). */
const RAIL_SCREEN = "(min-width: 900px)";

function goTo(id: string): void {
  const section = document.getElementById(id);
  section?.scrollIntoView({ block: "start" });
  section?.focus({ preventScroll: true });
}

/** Links to the sections of the form. */
function SectionRail() {
  const hasRoom = useMediaQuery(RAIL_SCREEN, false, { getInitialValueInEffect: false });
  const sections = sectionTitles.map((title) => ({ value: sectionId(title), label: title }));
  if (!hasRoom)
    return (
      <NativeSelect
        className="modal-form__fields settings-form__jump"
        aria-label="Sections des paramètres"
        value=""
        data={[{ value: "", label: "Aller à une section", disabled: true }, ...sections]}
        onChange={({ currentTarget }) => goTo(currentTarget.value)}
      />
    );
  return (
    <nav className="settings-form__rail" aria-label="Sections des paramètres">
      {sections.map(({ value, label }) => (
        <Button key={value} variant="subtle" justify="flex-start" onClick={() => goTo(value)}>
          {label}
        </Button>
      ))}
    </nav>
  );
}

const SAVED_TEXTS = {
  button: "Enregistré avec « Sauvegarder »",
  "at once": "Enregistré aussitôt",
} as const;

interface SectionProps {
  readonly title: SectionTitle;
  readonly saves: keyof typeof SAVED_TEXTS;
  readonly children: ReactNode;
}

function Section({ title, saves, children }: SectionProps) {
  const titleId = useId();
  return (
    <section
      id={sectionId(title)}
      className="modal-form__part settings-form__section stack"
      data-gap="20"
      aria-labelledby={titleId}
      tabIndex={-1}
    >
      <header className="row between settings-form__head">
        <h3 id={titleId}>{title}</h3>
        <span className="hint">{SAVED_TEXTS[saves]}</span>
      </header>
      {children}
    </section>
  );
}

/** A part of a section that is saved in another way than the rest of it. */
function SectionPart({ title, saves, children }: Omit<SectionProps, "title"> & { readonly title: string }) {
  const titleId = useId();
  return (
    <div className="settings-form__part stack" data-gap="20" role="group" aria-labelledby={titleId}>
      <header className="row between settings-form__head">
        <h4 id={titleId}>{title}</h4>
        <span className="hint">{SAVED_TEXTS[saves]}</span>
      </header>
      {children}
    </div>
  );
}

function AddressFields(props: SettingsPartProps) {
  const { draft, onChange } = props;
  const text = textField(props);
  return (
    <fieldset className="settings-form__address">
      <legend className="aside">Adresse principale</legend>
      <TextInput
        className="wide"
        label="Rue"
        autoComplete="street-address"
        maxLength={200}
        name="rue"
        {...text("rue")}
      />
      <TextInput
        label="Ville"
        autoComplete="address-level2"
        maxLength={100}
        name="ville"
        {...text("ville")}
      />
      <TextInput
        label="Code postal"
        inputMode="numeric"
        autoComplete="postal-code"
        name="postalText"
        {...text("postalText")}
        // Truncated here, not by `maxLength`: '75 011' may be pasted.
        onChange={(event) => onChange({ postalText: digitsOf(event.currentTarget.value).slice(0, 5) })}
      />
      <NativeSelect
        className="wide"
        label="Pays"
        autoComplete="country-name"
        data={countries.map(({ name }) => name)}
        value={draft.pays}
        onChange={(event) => onChange({ pays: countryByName(event.currentTarget.value)?.name ?? "France" })}
      />
    </fieldset>
  );
}
