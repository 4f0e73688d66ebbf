/** Changes of the desktop's settings that are saved at once, not by a form. */
import { type QueryClient, useMutation, useQueryClient } from '@tanstack/react-query'
import type { Settings, SettingsView } from '../../../electron/ground/bridge.ts'
import { callDesktop, DesktopError, invalidate } from '../../api/desktop.ts'
import { t } from '../../strings/en.ts'
import { toastError } from '../../ui/toast.tsx'
import { type DialogAction, useDialogWork } from '../dialog-action.ts'

/** Saves settings, and reads them again. @throws DesktopError with the problem of a value */
export async function saveSettings(client: QueryClient, changes: Partial<Settings>): Promise<void> {
  try {
    const [problem] = Object.values(await callDesktop('settings.change', changes))
    if (problem) throw new DesktopError(`${t.server.notSaved} ${problem}`)
  } finally {
    await invalidate(client, 'settings.view')
  }
}

/** Saves settings. Shows a toast if it fails. */
export function useSettingsChange(onChanged?: () => void) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (changes: Partial<Settings>) => saveSettings(client, changes),
    onSuccess: () => onChanged?.(),
    onError: toastError,
  })
}

/** Saves settings when a dialog is submitted. */
export function useSettingsDialogAction(
  changes: Partial<Settings>,
  effects: { readonly done: string; onClose(): void },
): DialogAction {
  const client = useQueryClient()
  return useDialogWork({ run: () => saveSettings(client, changes), ...effects })
}

/** A setting that is saved when it is chosen. @returns its value, which is the chosen one while it is saved, and its setter */
export function useSetting<N extends keyof Settings>(
  view: SettingsView,
  name: N,
): [Settings[N], (value: Settings[N]) => void] {
  const { isPending, variables, mutate } = useSettingsChange()
  const pending = isPending ? variables[name] : undefined
  return [pending ?? view.settings[name], (value) => mutate({ [name]: value } as Partial<Settings>)]
}
