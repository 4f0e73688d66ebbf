/** Data of a server without aliases, which stored records under our names: a start with aliases gives them the names of the network only. */
import { expect, test } from 'vitest'
import { defaultConfig } from '../../../server/platform/config/config.ts'
import { viewsOf } from '../../support/lived-in/contents.ts'
import { people, setupLivedIn } from '../../support/lived-in/lived-in.ts'
import { server } from '../../support/server/setup.ts'
import { mentionsOf } from '../../support/store/scan.ts'

setupLivedIn({ aliases: new Map() })

/** Columns that keep names of ours: what persons and apps wrote or called, events as sent, permissions that hold under any name. */
const texts = [
  'events.frame',
  'drafts.draft',
  'actor_preferences.preferences',
  'deleted_records.bytes',
  'app_passwords.permissions',
  'push_registrations.called',
]

test('a start with aliases renames the records, and persons see what they saw', async () => {
  const { did } = people.ann
  const viewsBy = async (viewer: { accessJwt: string }) => {
    // New commits are expected, and the document is the directory's.
    const {
      'com.core.sync.getLatestCommit': _,
      'com.core.repo.describeRepo': __,
      ...rest
    } = await viewsOf(server, did, viewer)
    return JSON.stringify(rest, null, 1).replace(/baf\w+/g, 'cid')
  }
  const views = async () => [await viewsBy(people.ann), await viewsBy(people.ben)]
  const before = await views()
  await server.running.close()
  const { dataDir } = server.config
  Object.assign(server.config, { aliases: defaultConfig({ dataDir }).aliases })
  await server.open()
  const columns = mentionsOf(server.running.services.store, 'app.example.').map(
    (one) => one.split(':')[0] ?? '',
  )
  expect([...new Set(columns)].filter((column) => !texts.includes(column))).toEqual([])
  expect(await views()).toEqual(before)
})
