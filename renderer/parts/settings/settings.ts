/** Changes of settings that are saved at once, not by a form. */
import { useMutation } from '@tanstack/react-query'
import type { Settings } from '../../../electron/ground/bridge.ts'
import { DesktopError } from '../../api/desktop.ts'
import { type ServerSettingsView, useChangeSettings } from '../../api/settings.ts'
import { t } from '../../strings/en.ts'
import { toastError } from '../../ui/toast.tsx'
import { type DialogAction, useDialogWork } from '../dialog-action.ts'

/** Returns a function that saves settings, and reads them again. @throws DesktopError with the problem of a value */
export function useSaveSettings(): (changes: Partial<Settings>) => Promise<void> {
  const change = useChangeSettings()
  return async (changes) => {
    const [problem] = Object.values(await change(changes))
    if (problem) throw new DesktopError(`${t.server.notSaved} ${problem}`)
  }
}

/** Saves settings. Shows a toast if it fails. */
export function useSettingsChange(onChanged?: () => void) {
  return useMutation({
    mutationFn: useSaveSettings(),
    onSuccess: () => onChanged?.(),
    onError: toastError,
  })
}

/** Saves settings when a dialog is submitted. */
export function useSettingsDialogAction(
  changes: Partial<Settings>,
  effects: { readonly done: string; onClose(): void },
): DialogAction {
  const save = useSaveSettings()
  return useDialogWork({ run: () => save(changes), ...effects })
}

/** A setting that is saved when it is chosen. @returns its value, which is the chosen one while it is saved, and its setter */
export function useSetting<N extends keyof Settings>(
  view: { readonly settings: Pick<Settings, N> },
  name: N,
): [Settings[N], (value: Settings[N]) => void] {
  const { isPending, variables, mutate } = useSettingsChange()
  const pending = isPending ? variables[name] : undefined
  return [pending ?? view.settings[name], (value) => mutate({ [name]: value } as Partial<Settings>)]
}

/** Returns the hint of a setting that the command of the server sets; undefined for one that can be changed. */
export function fixedHint({ fixedBy }: ServerSettingsView, name: keyof Settings): string | undefined {
  const by = fixedBy?.[name]
  return by === undefined ? undefined : t.server.fixedBy(by)
}
