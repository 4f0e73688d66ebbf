/** Second factors: the section of the account, and the step of sign-in. */
export const factors = {
  section: 'Second step of sign-in',
  lead: 'A second step after the main password. App passwords, and apps that you allow, sign in without it.',
  app: 'Authenticator app',
  appDetail: 'A code of six digits from an app on your phone.',
  passkey: 'Passkey',
  passkeyDetail: 'Fingerprint, face, PIN or a security key. For sign-in in a browser.',
  passkeyNotHere: (url: string) => `Open ${url} in a browser to add one.`,
  add: 'Add',
  addApp: 'Add an authenticator app',
  addPasskey: 'Add a passkey',
  added: 'Added',
  used: 'Last used',
  never: 'Never used',
  worksOn: (host: string) => `For sign-in on ${host}`,
  removeTitle: (name: string) => `Remove ${name}?`,
  removeText: 'Sign-in no longer asks for it. Removing the last one also deletes the recovery codes.',
  removed: (name: string) => `${name} removed`,
  phone: 'Phone',
  thisDevice: 'This device',
  appScan: 'Scan this code with the authenticator app on your phone, or enter the secret there.',
  appQr: 'QR code for the authenticator app',
  appSecret: 'Secret',
  appCode: 'Code that the app shows',
  wrongAppCode:
    'This code is wrong. The app shows a new one every 30 seconds. Check that the clock of the phone is right.',
  wrongStep:
    'This code is wrong or was used before. The app shows a new one every 30 seconds, and each recovery code works once.',
  passkeyText: 'Your browser asks how to make it.',
  passkeyFailed: 'The browser did not complete the passkey. Try again.',
  addedToast: (name: string) => `${name} added`,
  codes: 'Recovery codes',
  codesLeft: (count: number) => (count === 1 ? '1 code left' : `${count} codes left`),
  codesDetail: 'Each replaces the second step once, if you lose the device.',
  renew: 'New codes',
  renewTitle: 'Make new recovery codes?',
  renewText: 'The old codes stop working.',
  codesTitle: 'Your recovery codes',
  codesText: 'Keep them apart from the device. Each works once.',
  wrongCodes: (count: number) =>
    `${count === 1 ? 'A wrong code was' : `${count} wrong codes were`} entered with your right password since the last sign-in. If it was not you, change the password.`,

  title: 'Second step',
  step: 'Enter a code of your authenticator app, or a recovery code.',
  stepMailed:
    'A code was sent to the email address of this account. It is valid for 15 minutes. A code of your authenticator app or a recovery code works too.',
  usePasskey: 'Use a passkey',
  lost: 'Lost your device?',
  lostTitle: 'Remove all second steps?',
  lostText: (handle: string) =>
    `Sign-in to ${handle} will need the main password only. You can add second steps again in Account.`,
  lostAction: 'Remove all',
  lostElsewhere:
    'Lost your device and your codes? The owner of this server can remove the second step under People, and in the app window on its computer.',
  lostOwner: 'You are the owner, and there is no app window',
  lostCommand:
    'Run this on the computer of the server, with the DID of your account. It asks for the admin password, which is in the file admin-password of the data folder.',
}
