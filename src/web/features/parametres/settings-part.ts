import type { SettingsDraft, settingsProblemsOf } from "./settings-draft.ts";

/** What every part of the form is given. */
export interface SettingsPartProps {
  readonly draft: SettingsDraft;
  /** Empty until the person tried to save. */
  readonly problems: ReturnType<typeof settingsProblemsOf>;
  readonly onChange: (changes: Partial<SettingsDraft>) => void;
}
