// Before the first paint, so that a chosen appearance does not flash.
document.documentElement.dataset.theme = localStorage.getItem('pds.theme') ?? ''
