/** Calls of the methods of records, synchronization, labels and reports. */

import { owner as bystander } from '../../server/setup.ts'
import { someCid } from '../../server/social.ts'
import { type CallTable, collection, uniqueName } from '../model.ts'

export const dataCalls: CallTable = {
  'com.core.actor.describeActors': () => ({ params: { dids: bystander.did } }),
  'com.core.label.queryLabels': () => ({ params: { uriPatterns: '*' } }),
  'com.core.moderation.createReport': () => ({
    input: {
      reasonType: 'com.core.moderation.defs#reasonSpam',
      subject: { $type: 'com.core.admin.defs#repoRef', did: bystander.did },
    },
  }),
  'com.core.notification.getActivityCounts': () => ({ params: { starts: '2030-01-01T00:00:00.000Z' } }),
  'com.core.repo.applyWrites': ({ did }) => ({
    input: {
      repo: did,
      writes: [{ $type: 'com.core.repo.applyWrites#create', collection, rkey: uniqueName(), value: {} }],
    },
  }),
  'com.core.repo.createRecord': ({ did }) => ({ input: { repo: did, collection, record: {} } }),
  'com.core.repo.deleteRecord': ({ did }) => ({ input: { repo: did, collection, rkey: 'none' } }),
  'com.core.repo.describeRepo': () => ({ params: { repo: bystander.did } }),
  'com.core.repo.getRecord': () => ({
    params: { repo: bystander.did, collection, rkey: 'none' },
    answer: 'RecordNotFound',
  }),
  'com.core.repo.importRepo': () => ({ answer: 'InvalidRequest' }),
  'com.core.repo.listMissingBlobs': () => ({}),
  'com.core.repo.listRecords': () => ({ params: { repo: bystander.did, collection } }),
  'com.core.repo.putRecord': ({ did }) => ({
    input: { repo: did, collection, rkey: uniqueName(), record: {} },
  }),
  'com.core.repo.uploadBlob': () => ({ input: {} }),
  'com.core.sync.getBlob': () => ({
    params: { did: bystander.did, cid: 'bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku' },
    answer: 'BlobNotFound',
  }),
  'com.core.sync.getBlocks': () => ({
    params: { did: bystander.did, cids: someCid },
    answer: 'BlockNotFound',
  }),
  'com.core.sync.getHostStatus': () => ({ params: { hostname: 'unknown.example' }, answer: 'HostNotFound' }),
  'com.core.sync.getLatestCommit': () => ({ params: { did: bystander.did } }),
  'com.core.sync.getRecord': () => ({
    params: { did: bystander.did, collection: 'app.example.feed.post', rkey: 'none' },
  }),
  'com.core.sync.getRepo': () => ({ params: { did: bystander.did } }),
  'com.core.sync.getRepoStatus': () => ({ params: { did: bystander.did } }),
  'com.core.sync.listBlobs': () => ({ params: { did: bystander.did } }),
  'com.core.sync.listRepos': () => ({}),
  'com.core.sync.listReposByCollection': () => ({ params: { collection } }),
  'com.core.sync.subscribeRepos': () => ({}),
  'com.core.temp.checkHandleAvailability': () => ({ params: { handle: 'free-name.test' } }),
  'com.core.temp.checkSignupQueue': () => ({}),
}
