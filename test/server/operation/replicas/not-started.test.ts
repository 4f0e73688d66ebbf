/** A server that does not start with restored data. */
import { expect, onTestFinished, test } from 'vitest'
import { credentialsFile } from '../../../../server/operation/replicas/credentials.ts'
import { makeBackup } from '../../../../server/operation/replicas/local/backups.ts'
import { createRestores } from '../../../../server/operation/replicas/restores/restores.ts'
import { listReplaced } from '../../../../server/store/backups/replaced.ts'
import { createLogger } from '../../../../server/util/log.ts'
import { systemTime } from '../../../../server/util/timers.ts'
import { TestServer } from '../../../support/server/server.ts'

test('the data of before are put back, and the restored ones are kept', async () => {
  const server = await TestServer.start()
  onTestFinished(() => server.close())
  await server.account('olga')
  const { dataDir } = server.config
  const { at } = await makeBackup({ dataDir, now: systemTime })
  await server.account('later')
  await server.running.close()
  const restores = createRestores({
    ...{
      dataDir,
      log: createLogger('silent'),
      keeper: credentialsFile(dataDir),
      places: () => [],
      addPlace: async () => {},
    },
    async whileStopped(work, undo) {
      await undo(await work())
      throw new Error('pds.sqlite is damaged.')
    },
  })
  const id = restores.open({ from: 'backups' }, at.toISOString()) ?? ''
  await expect.poll(() => restores.state.step).toBe('opened')
  expect(restores.restore(id, async () => {})).toBe(true)
  await expect.poll(() => restores.state.step).toBe('failed')
  expect(restores.state).toMatchObject({
    message: expect.stringContaining(
      'The data of before are back. Choose another state. (pds.sqlite is damaged.)',
    ),
  })
  expect(await listReplaced(dataDir)).toHaveLength(1)
  await server.restart()
  const accounts = await server.get('com.core.sync.listRepos')
  expect(accounts.body.repos).toHaveLength(2)
})
