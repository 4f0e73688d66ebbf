/** Calls of the methods of the administrator. */
import { noMailServer } from '../../../../server/platform/config/mail-server.ts'
import { owner as bystander } from '../../server/setup.ts'
import { type CallTable, deleted, ofOther, uniqueName } from '../model.ts'

export const adminCalls: CallTable = {
  // There are no places.
  'com.core.admin.acceptEmptyPlace': (_, token) => ({
    input: { url: 'file:///disk' },
    answer: token === 'owner' ? 'PasswordRequired' : 'InvalidRequest',
  }),
  'com.core.admin.addCopyPlace': () => ({
    input: { place: { kind: 'folder', address: '/disk' } },
    answer: 'PlacesElsewhere',
  }),
  // A malformed address, so that nothing is sent.
  'com.core.admin.addUpstream': () => ({ input: { url: '://' }, answer: 'InvalidUpstream' }),
  'com.core.admin.cancelRestore': () => ({ input: { id: 'none' }, answer: 'RestoreElsewhere' }),
  'com.core.admin.checkBackup': () => ({ input: { id: 'none' }, answer: 'BackupNotFound' }),
  'com.core.admin.checkNetwork': () => ({}),
  'com.core.admin.checkRelays': () => ({}),
  'com.core.admin.closeReport': () => ({
    input: { id: 1_000_000, resolution: 'resolved' },
    answer: 'ReportNotFound',
  }),
  'com.core.admin.confirmClock': () => ({}),
  'com.core.admin.continueServer': () => ({}),
  'com.core.admin.copyNow': () => ({}),
  'com.core.admin.deleteAccount': (subject, token) => ({
    input: { did: subject.did },
    answer: ofOther(subject, token),
  }),
  // Without undo, it takes the main password.
  'com.core.admin.deleteBackup': () => ({ input: { id: 'none', undo: true }, answer: 'BackupNotFound' }),
  'com.core.admin.deleteOutboxMessage': () => ({ input: { id: 'x' } }),
  'com.core.admin.deleteReplacedData': () => ({ input: { name: 'none' }, answer: 'DataNotFound' }),
  'com.core.admin.disableAccountInvites': (subject) => ({
    input: { account: subject.did },
    answer: deleted(subject),
  }),
  'com.core.admin.disableInviteCodes': ({ did }) => ({ input: { accounts: [did] } }),
  'com.core.admin.dismissLostChanges': (_, token) => ({
    input: { url: 'file:///disk' },
    answer: token === 'owner' ? 'PasswordRequired' : 'InvalidRequest',
  }),
  'com.core.admin.enableAccountInvites': (subject) => ({
    input: { account: subject.did },
    answer: deleted(subject),
  }),
  'com.core.admin.getAccountInfo': (subject) => ({ params: { did: subject.did }, answer: deleted(subject) }),
  'com.core.admin.getAccountInfos': ({ did }) => ({ params: { dids: did } }),
  'com.core.admin.getClock': () => ({}),
  'com.core.admin.getConformance': () => ({}),
  'com.core.admin.getCopies': () => ({}),
  'com.core.admin.getDataCheck': () => ({}),
  'com.core.admin.getInviteCodes': () => ({}),
  'com.core.admin.getLog': () => ({}),
  'com.core.admin.getMove': () => ({ params: { did: bystander.did } }),
  'com.core.admin.getNetwork': () => ({}),
  'com.core.admin.getRecoverySheet': () => ({ input: {}, answer: 'PlacesElsewhere' }),
  'com.core.admin.getMailServer': () => ({ answer: 'MailServerElsewhere' }),
  'com.core.admin.getRestore': () => ({ answer: 'RestoreElsewhere' }),
  'com.core.admin.getSettings': () => ({ answer: 'SettingsElsewhere' }),
  'com.core.admin.getSubjectStatus': (subject) => ({
    params: { did: subject.did },
    answer: deleted(subject),
  }),
  'com.core.admin.getStorage': () => ({}),
  'com.core.admin.keepRecoverySheet': () => ({ input: { key: 'none' }, answer: 'PlacesElsewhere' }),
  'com.core.admin.listAccounts': () => ({}),
  'com.core.admin.listBackups': () => ({}),
  'com.core.admin.listOutbox': () => ({}),
  'com.core.admin.listReports': () => ({}),
  'com.core.admin.listRequests': () => ({}),
  'com.core.admin.listReplacedData': () => ({}),
  'com.core.admin.listRestorePoints': () => ({ params: { url: 'file:///disk' }, answer: 'RestoreElsewhere' }),
  'com.core.admin.listUpstreams': () => ({}),
  'com.core.admin.makeBackup': () => ({}),
  'com.core.admin.moveAccount': () => ({
    input: { did: bystander.did, server: 'localhost', password: 'a password' },
    answer: 'MoveRefused',
  }),
  'com.core.admin.openRestore': () => ({ input: {}, answer: 'RestoreElsewhere' }),
  'com.core.admin.purgeRemoteRecords': () => ({}),
  'com.core.admin.removeCopyPlace': () => ({ input: { url: 'file:///disk' }, answer: 'PlacesElsewhere' }),
  'com.core.admin.removeSecondFactors': (subject, token) => ({
    input: { did: subject.did },
    answer: ofOther(subject, token),
  }),
  'com.core.admin.removeUpstream': () => ({
    input: { url: 'https://pds.invalid' },
    answer: 'UpstreamNotFound',
  }),
  'com.core.admin.requestCrawls': () => ({}),
  'com.core.admin.restoreServer': () => ({ input: { id: 'none' }, answer: 'RestoreElsewhere' }),
  'com.core.admin.retryUpstream': () => ({
    input: { url: 'https://pds.invalid' },
    answer: 'UpstreamNotFound',
  }),
  'com.core.admin.searchAccounts': () => ({}),
  'com.core.admin.sendEmail': (subject) => ({
    input: { recipientDid: subject.did, senderDid: bystander.did, content: 'Hello' },
    answer: deleted(subject),
  }),
  'com.core.admin.setConformance': () => ({ input: { running: false } }),
  'com.core.admin.setInspector': () => ({ input: {} }),
  'com.core.admin.testMailServer': () => ({
    input: { mailServer: noMailServer, to: 'someone@example.test' },
    answer: 'MailServerElsewhere',
  }),
  'com.core.admin.undoRestore': () => ({ input: { name: 'none' }, answer: 'RestoreElsewhere' }),
  'com.core.admin.updateAccountEmail': (subject, token) => ({
    input: { account: subject.did, email: subject.email },
    answer: ofOther(subject, token),
  }),
  'com.core.admin.updateAccountHandle': (subject) => ({
    input: { did: subject.did, handle: `${uniqueName()}.test` },
    answer: deleted(subject),
  }),
  'com.core.admin.updateAccountPassword': (subject, token) => ({
    input: { did: subject.did, password: 'another password' },
    answer: ofOther(subject, token),
  }),
  'com.core.admin.updateMailServer': () => ({
    input: { mailServer: noMailServer },
    answer: 'MailServerElsewhere',
  }),
  'com.core.admin.updateSettings': () => ({ input: { settings: [] }, answer: 'SettingsElsewhere' }),
  'com.core.admin.updateSubjectStatus': (subject) => ({
    input: {
      subject: { $type: 'com.core.admin.defs#repoRef', did: subject.did },
      deactivated: { applied: false },
    },
    answer: deleted(subject),
  }),
}
