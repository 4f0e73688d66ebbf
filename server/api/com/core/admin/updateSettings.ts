import { com } from '../../../../../lexicons/generated/index.ts'
import { requireThisComputer } from '../../../../identity/callers/foreign-page.ts'
import { type KeptTexts, keptNames } from '../../../../platform/config/kept-settings.ts'
import { method } from '../../../method.ts'

export const updateSettings = method(com.core.admin.updateSettings, {
  auth: 'admin',
  async handler({ input, caller, settings, log, fail }) {
    requireThisComputer({ caller, fail })
    if (!settings) throw fail('SettingsElsewhere', 'Change the settings in the app that runs this server')
    const names: ReadonlySet<string> = new Set(keptNames)
    const unknown = input.settings.find(({ name }) => !names.has(name))
    if (unknown) throw fail('InvalidRequest', 'A setting is unknown, or cannot be changed here')
    const changes: KeptTexts = Object.fromEntries(input.settings.map(({ name, value }) => [name, value]))
    const problems = await settings.change(changes).catch((error: NodeJS.ErrnoException) => {
      log.warn({ err: error }, 'settings not saved')
      throw fail(
        'SettingsNotSaved',
        `The settings could not be saved (${error.code}). Check the disk and the permissions of the data folder, then try again.`,
      )
    })
    const list = Object.entries(problems).map(([name, problem]) => ({ name, problem }))
    if (list.length === 0) log.info({ settings: Object.keys(changes) }, 'settings changed')
    return { problems: list }
  },
})
