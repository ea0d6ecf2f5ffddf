/** Rate and hours of alerts, and whether a chat may buy. Switches save immediately, fields by a button. */
import { Button, Switch, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState, type SubmitEvent } from "react";
import { MAX_ALERTS } from "#contract/bounds.ts";
import type { Body } from "#contract/calls.ts";
import type { ReglagesAlertes } from "#contract/alerte.ts";
import { call } from "../../api/client.ts";
import { changedParts, isChanged } from "../../ui/changed-parts.ts";
import { TimeField } from "../../ui/pickers/time-field.tsx";
import { HALF_TYPED_TIME, halfTypedProblem } from "../../ui/pickers/time-text.ts";
import { showToast } from "../../ui/toasts/show-toast.ts";
import { useAskBeforeLeaving } from "../../ui/windows/form-modal.tsx";
import { useCentreChange } from "./use-centre-change.ts";

type Change = NonNullable<Body<"editAlertCentre">["reglages"]>;

interface AlertSettingsProps {
  readonly settings: ReglagesAlertes;
  readonly hasTelegram: boolean;
}

export function AlertSettings({ settings, hasTelegram }: AlertSettingsProps) {
  const { calme, achat_telegram: buys } = settings;
  const change = useCentreChange();
  const edit = useMutation({
    mutationFn: (reglages: Change) => call("editAlertCentre", { body: { reglages } }),
    onSuccess: ({ message }) => showToast({ message }),
    ...change,
  });
  return (
    <div className="stack" data-gap="20">
      <Times settings={settings} onSave={edit.mutateAsync} isBusy={edit.isPending} />
      <Switch
        label="Heures calmes"
        description="Rien ne sonne, sauf votre banque ; un résumé vient à la fin."
        checked={calme.actif}
        onChange={({ currentTarget }) => edit.mutate({ calme: { actif: currentTarget.checked } })}
      />
      {hasTelegram ? (
        <Switch
          label="Acheter depuis Telegram"
          description="Le bouton demande une fois avant d'acheter. Qui tient ce téléphone peut acheter à votre place."
          checked={buys}
          onChange={({ currentTarget }) => edit.mutate({ achat_telegram: currentTarget.checked })}
        />
      ) : null}
    </div>
  );
}

/** Both times are required: an empty field is as incomplete as a half-typed one. */
const isTime = (text: string): boolean => text !== "" && text !== HALF_TYPED_TIME;

interface TimesProps {
  readonly settings: ReglagesAlertes;
  readonly onSave: (change: Change) => Promise<unknown>;
  readonly isBusy: boolean;
}

function Times({ settings, onSave, isBusy }: TimesProps) {
  const { calme, max_heure: max } = settings;
  const saved = { max: String(max), de: calme.de, a: calme.a };
  // Only what was typed: another device may change the rest meanwhile.
  const [typed, setTyped] = useState<Partial<typeof saved>>({});
  const fields = { ...saved, ...typed };
  const isUnsaved = isChanged(fields, saved);
  useAskBeforeLeaving(isUnsaved);
  const type = (change: typeof typed): void => setTyped((known) => ({ ...known, ...change }));
  const count = /^\d{1,3}$/u.test(fields.max.trim()) ? Number(fields.max.trim()) : 0;
  const countProblem =
    count >= 1 && count <= MAX_ALERTS ? undefined : `Un nombre entier de 1 à ${MAX_ALERTS}.`;
  const fromProblem = isTime(fields.de) ? undefined : halfTypedProblem;
  const sameProblem = fields.de === fields.a ? "Le début et la fin doivent être différents." : undefined;
  const toProblem = isTime(fields.a) ? sameProblem : halfTypedProblem;
  const submit = (event: SubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    if ([countProblem, fromProblem, toProblem].some((problem) => problem !== undefined)) return;
    // Only what was changed: the rest may have been changed elsewhere since.
    const change = {
      ...changedParts({ max_heure: count }, settings),
      calme: changedParts({ de: fields.de, a: fields.a }, calme),
    };
    void onSave(change).then(
      // What was typed while it was saved stays.
      () => setTyped((known) => changedParts(known, fields)),
      () => undefined,
    );
  };
  return (
    <form className="alertes__times" onSubmit={submit} noValidate>
      <TextInput
        label="Au plus … articles par heure"
        inputMode="numeric"
        value={fields.max}
        error={countProblem}
        onChange={({ currentTarget }) => type({ max: currentTarget.value })}
      />
      <TimeField
        label="Heures calmes, de"
        value={fields.de}
        error={fromProblem}
        onChange={(de) => type({ de })}
      />
      <TimeField
        label="à"
        aria-label="Heures calmes, à"
        value={fields.a}
        error={toProblem}
        onChange={(a) => type({ a })}
      />
      <Button type="submit" disabled={!isUnsaved} loading={isBusy}>
        Enregistrer
      </Button>
    </form>
  );
}
