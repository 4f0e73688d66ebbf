import { com } from '../../../../../lexicons/generated/index.ts'
import { reportChange } from '../../../../identity/accounts/security-notice.ts'
import { requireThisComputer } from '../../../../identity/callers/foreign-page.ts'
import { requireOwnerProof } from '../../../../identity/callers/owner-proof.ts'
import { isProtected, type KeptTexts, keptNames } from '../../../../platform/config/kept-settings.ts'
import { saveProblem } from '../../../../platform/config/save-problem.ts'
import { method } from '../../../method.ts'

export const updateSettings = method(com.core.admin.updateSettings, {
  auth: 'admin',
  async handler({ input, auth, caller, settings, identity, fail, ...platform }) {
    requireThisComputer({ caller, fail })
    if (!settings) throw fail('SettingsElsewhere', 'Change the settings in the app that runs this server')
    const names: ReadonlySet<string> = new Set(keptNames)
    const unknown = input.settings.find(({ name }) => !names.has(name))
    if (unknown) throw fail('InvalidRequest', 'A setting is unknown, or cannot be changed here')
    const changes: KeptTexts = Object.fromEntries(input.settings.map(({ name, value }) => [name, value]))
    // First: a wrong value uses up no code of a second factor.
    const mistakes = listed(settings.problemsWith(changes))
    if (mistakes.length > 0) return { problems: mistakes }
    const needsProof = keptNames.some((name) => changes[name] !== undefined && isProtected(name))
    if (needsProof) await requireOwnerProof({ auth, input, caller, identity, fail })
    const { log } = platform
    const dailyBackups = () => settings.list().find(({ name }) => name === 'dailyBackups')?.value
    const earlierBackups = dailyBackups()
    const problems = await settings.change(changes).catch((error: Error) => {
      log.warn({ err: error }, 'settings not saved')
      throw fail('SettingsNotSaved', saveProblem(error))
    })
    const list = listed(problems)
    if (list.length > 0) return { problems: list }
    log.info({ settings: Object.keys(changes) }, 'settings changed')
    if (auth.session) {
      const { account } = auth.session
      if (needsProof) await reportChange(platform, account, 'serverSettings', caller)
      if (dailyBackups() !== earlierBackups) await reportChange(platform, account, 'backups', caller)
    }
    return { problems: [] }
  },
})

function listed(problems: KeptTexts) {
  return Object.entries(problems).map(([name, problem]) => ({ name, problem }))
}
