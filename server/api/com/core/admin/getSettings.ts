import { com } from '../../../../../lexicons/generated/index.ts'
import { requireThisComputer } from '../../../../identity/callers/foreign-page.ts'
import { isProtected } from '../../../../platform/config/kept-settings.ts'
import { method } from '../../../method.ts'

export const getSettings = method(com.core.admin.getSettings, {
  auth: 'admin',
  handler({ caller, config: { dataDir }, settings, fail }) {
    requireThisComputer({ caller, fail })
    if (!settings) throw fail('SettingsElsewhere', 'Change the settings in the app that runs this server')
    const list = settings.list().map(({ isWaiting: waiting, ...setting }) => ({
      ...{ ...setting, waiting, protected: isProtected(setting.name) },
    }))
    return { settings: list, file: settings.file, dataFolder: dataDir }
  },
})
