/** What `npm run serve` does for the owner over HTTP: it keeps the places of copies, starts the server again, and restores. */
import type { Config } from '../../platform/config/config.ts'
import type { KeptSettings } from '../../platform/config/kept-settings.ts'
import { saveProblem } from '../../platform/config/save-problem.ts'
import { copyPlaces } from '../../platform/config/values.ts'
import type { Logger } from '../../util/log.ts'
import { type Host, type KeptMail, type KeptPlaces, PlacesNotSaved } from '../host.ts'
import { credentialsFile } from '../replicas/credentials.ts'
import { createRestores } from '../replicas/restores/restores.ts'
import type { Runner } from './runner.ts'

interface Deps {
  readonly config: Pick<Config, 'dataDir' | 'copiesCredentials'>
  readonly settings: KeptSettings
  readonly mail: KeptMail
  readonly runner: Pick<Runner, 'restart' | 'whileStopped'>
  readonly log: Logger
}

export function createHost({ config, settings, mail, runner, log }: Deps): Host {
  const { dataDir, copiesCredentials } = config
  const places: KeptPlaces = {
    list: () => copyPlaces.parse(settings.proven('copies').text) ?? [],
    get setBy() {
      return settings.proven('copies').setBy
    },
    async save(urls) {
      const problems = await settings.change({ copies: urls.join(',') }).catch((error: Error) => {
        throw new PlacesNotSaved(saveProblem(error), { cause: error })
      })
      const [problem] = Object.values(problems)
      if (problem !== undefined) throw new Error(problem)
    },
  }
  const restores = createRestores({
    ...{ dataDir, log, keeper: credentialsFile(dataDir, copiesCredentials) },
    places: places.list,
    addPlace: (url) => places.save([...places.list().filter((one) => one !== url), url]),
    whileStopped: runner.whileStopped,
  })
  return { places, mail, restart: runner.restart, restores }
}
