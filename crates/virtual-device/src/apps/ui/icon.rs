//! Icons of the A2UI basic catalogue as SVG path data in a 24×24 box, and a reader for such data.
//!
//! The shapes are those of Google's Material Icons (Apache-2.0); `docs/licences/material-icons.md` has the notice.

use tiny_skia::{Path, PathBuilder};

/// Shape for a name without one: a frame, crossed out so that nobody takes it for a check box.
const FRAME: &str = "M5 3h14c1.1 0 2 .9 2 2v14c0 1.1-.9 2-2 2H5c-1.1 0-2-.9-2-2V5c0-1.1.9-2 2-2zm0 2v14h14V5H5zM5.5 7l1.5-1.5L18.5 17l-1.5 1.5z";

/// Name, text of a screen reader, path data.
const ICONS: &[(&str, &str, &str)] = &[
    (
        "accountCircle",
        "Account",
        "M12 2C6.48 2 2 6.48 2 12s4.48 10 10 10 10-4.48 10-10S17.52 2 12 2zm0 3c1.66 0 3 1.34 3 3s-1.34 3-3 3-3-1.34-3-3 1.34-3 3-3zm0 14.2c-2.5 0-4.71-1.28-6-3.22.03-1.99 4-3.08 6-3.08 1.99 0 5.97 1.09 6 3.08-1.29 1.94-3.5 3.22-6 3.22z",
    ),
    ("add", "Add", "M19 13h-6v6h-2v-6H5v-2h6V5h2v6h6v2z"),
    (
        "arrowBack",
        "Back",
        "M20 11H7.83l5.59-5.59L12 4l-8 8 8 8 1.41-1.41L7.83 13H20v-2z",
    ),
    (
        "arrowForward",
        "Forward",
        "M12 4l-1.41 1.41L16.17 11H4v2h12.17l-5.58 5.59L12 20l8-8z",
    ),
    (
        "attachFile",
        "Attach file",
        "M16.5 6v11.5c0 2.21-1.79 4-4 4s-4-1.79-4-4V5c0-1.38 1.12-2.5 2.5-2.5s2.5 1.12 2.5 2.5v10.5c0 .55-.45 1-1 1s-1-.45-1-1V6H10v9.5c0 1.38 1.12 2.5 2.5 2.5s2.5-1.12 2.5-2.5V5c0-2.21-1.79-4-4-4S7 2.79 7 5v12.5c0 3.04 2.46 5.5 5.5 5.5s5.5-2.46 5.5-5.5V6h-1.5z",
    ),
    (
        "calendarToday",
        "Calendar",
        "M20 3h-1V1h-2v2H7V1H5v2H4c-1.1 0-2 .9-2 2v16c0 1.1.9 2 2 2h16c1.1 0 2-.9 2-2V5c0-1.1-.9-2-2-2zm0 18H4V8h16v13z",
    ),
    (
        "call",
        "Call",
        "M6.62 10.79c1.44 2.83 3.76 5.14 6.59 6.59l2.2-2.2c.27-.27.67-.36 1.02-.24 1.12.37 2.33.57 3.57.57.55 0 1 .45 1 1V20c0 .55-.45 1-1 1-9.39 0-17-7.61-17-17 0-.55.45-1 1-1h3.5c.55 0 1 .45 1 1 0 1.25.2 2.45.57 3.57.11.35.03.74-.25 1.02l-2.2 2.2z",
    ),
    (
        "camera",
        "Camera",
        "M9 2L7.17 4H4c-1.1 0-2 .9-2 2v12c0 1.1.9 2 2 2h16c1.1 0 2-.9 2-2V6c0-1.1-.9-2-2-2h-3.17L15 2H9zm3 15c-2.76 0-5-2.24-5-5s2.24-5 5-5 5 2.24 5 5-2.24 5-5 5z",
    ),
    (
        "check",
        "Done",
        "M9 16.17L4.83 12l-1.42 1.41L9 19 21 7l-1.41-1.41z",
    ),
    (
        "close",
        "Close",
        "M19 6.41L17.59 5 12 10.59 6.41 5 5 6.41 10.59 12 5 17.59 6.41 19 12 13.41 17.59 19 19 17.59 13.41 12z",
    ),
    (
        "delete",
        "Delete",
        "M6 19c0 1.1.9 2 2 2h8c1.1 0 2-.9 2-2V7H6v12zM19 4h-3.5l-1-1h-5l-1 1H5v2h14V4z",
    ),
    (
        "download",
        "Download",
        "M19 9h-4V3H9v6H5l7 7 7-7zM5 18v2h14v-2H5z",
    ),
    ("dropDown", "Open", "M7 10l5 5 5-5z"),
    (
        "edit",
        "Edit",
        "M3 17.25V21h3.75L17.81 9.94l-3.75-3.75L3 17.25zM20.71 7.04c.39-.39.39-1.02 0-1.41l-2.34-2.34c-.39-.39-1.02-.39-1.41 0l-1.83 1.83 3.75 3.75 1.83-1.83z",
    ),
    (
        "error",
        "Error",
        "M12 2C6.48 2 2 6.48 2 12s4.48 10 10 10 10-4.48 10-10S17.52 2 12 2zm1 15h-2v-2h2v2zm0-4h-2V7h2v6z",
    ),
    (
        "event",
        "Event",
        "M20 3h-1V1h-2v2H7V1H5v2H4c-1.1 0-2 .9-2 2v16c0 1.1.9 2 2 2h16c1.1 0 2-.9 2-2V5c0-1.1-.9-2-2-2zm0 18H4V8h16v13zm-8-8v5h5v-5h-5z",
    ),
    (
        "fastForward",
        "Fast forward",
        "M4 18l8.5-6L4 6v12zm9-12v12l8.5-6L13 6z",
    ),
    (
        "favorite",
        "Favorite",
        "M12 21.35l-1.45-1.32C5.4 15.36 2 12.28 2 8.5 2 5.42 4.42 3 7.5 3c1.74 0 3.41.81 4.5 2.09C13.09 3.81 14.76 3 16.5 3 19.58 3 22 5.42 22 8.5c0 3.78-3.4 6.86-8.55 11.54L12 21.35z",
    ),
    (
        "favoriteOff",
        "Not favorite",
        "M16.5 3c-1.74 0-3.41.81-4.5 2.09C10.91 3.81 9.24 3 7.5 3 4.42 3 2 5.42 2 8.5c0 3.78 3.4 6.86 8.55 11.54L12 21.35l1.45-1.32C18.6 15.36 22 12.28 22 8.5 22 5.42 19.58 3 16.5 3zm-4.4 15.55l-.1.1-.1-.1C7.14 14.24 4 11.39 4 8.5 4 6.5 5.5 5 7.5 5c1.54 0 3.04.99 3.57 2.36h1.87C13.46 5.99 14.96 5 16.5 5c2 0 3.5 1.5 3.5 3.5 0 2.89-3.14 5.74-7.9 10.05z",
    ),
    (
        "folder",
        "Folder",
        "M10 4H4c-1.1 0-1.99.9-1.99 2L2 18c0 1.1.9 2 2 2h16c1.1 0 2-.9 2-2V8c0-1.1-.9-2-2-2h-8l-2-2z",
    ),
    (
        "help",
        "Help",
        "M12 2C6.48 2 2 6.48 2 12s4.48 10 10 10 10-4.48 10-10S17.52 2 12 2zm1 17h-2v-2h2v2zm2.07-7.75l-.9.92C13.45 12.9 13 13.5 13 15h-2v-.5c0-1.1.45-2.1 1.17-2.83l1.24-1.26c.37-.36.59-.86.59-1.41 0-1.1-.9-2-2-2s-2 .9-2 2H8c0-2.21 1.79-4 4-4s4 1.79 4 4c0 .88-.36 1.68-.93 2.25z",
    ),
    ("home", "Home", "M10 20v-6h4v6h5v-8h3L12 3 2 12h3v8z"),
    (
        "info",
        "Info",
        "M12 2C6.48 2 2 6.48 2 12s4.48 10 10 10 10-4.48 10-10S17.52 2 12 2zm1 15h-2v-6h2v6zm0-8h-2V7h2v2z",
    ),
    (
        "locationOn",
        "Location",
        "M12 2C8.13 2 5 5.13 5 9c0 5.25 7 13 7 13s7-7.75 7-13c0-3.87-3.13-7-7-7zm0 9.5c-1.38 0-2.5-1.12-2.5-2.5s1.12-2.5 2.5-2.5 2.5 1.12 2.5 2.5-1.12 2.5-2.5 2.5z",
    ),
    (
        "lock",
        "Locked",
        "M18 8h-1V6c0-2.76-2.24-5-5-5S7 3.24 7 6v2H6c-1.1 0-2 .9-2 2v10c0 1.1.9 2 2 2h12c1.1 0 2-.9 2-2V10c0-1.1-.9-2-2-2zm-6 9c-1.1 0-2-.9-2-2s.9-2 2-2 2 .9 2 2-.9 2-2 2zm3.1-9H8.9V6c0-1.71 1.39-3.1 3.1-3.1 1.71 0 3.1 1.39 3.1 3.1v2z",
    ),
    (
        "lockOpen",
        "Unlocked",
        "M12 17c1.1 0 2-.9 2-2s-.9-2-2-2-2 .9-2 2 .9 2 2 2zm6-9h-1V6c0-2.76-2.24-5-5-5S7 3.24 7 6h1.9c0-1.71 1.39-3.1 3.1-3.1 1.71 0 3.1 1.39 3.1 3.1v2H6c-1.1 0-2 .9-2 2v10c0 1.1.9 2 2 2h12c1.1 0 2-.9 2-2V10c0-1.1-.9-2-2-2zm0 12H6V10h12v10z",
    ),
    (
        "mail",
        "Mail",
        "M20 4H4c-1.1 0-1.99.9-1.99 2L2 18c0 1.1.9 2 2 2h16c1.1 0 2-.9 2-2V6c0-1.1-.9-2-2-2zm0 4l-8 5-8-5V6l8 5 8-5v2z",
    ),
    (
        "menu",
        "Menu",
        "M3 18h18v-2H3v2zm0-5h18v-2H3v2zm0-7v2h18V6H3z",
    ),
    (
        "moreHoriz",
        "More",
        "M6 10c-1.1 0-2 .9-2 2s.9 2 2 2 2-.9 2-2-.9-2-2-2zm12 0c-1.1 0-2 .9-2 2s.9 2 2 2 2-.9 2-2-.9-2-2-2zm-6 0c-1.1 0-2 .9-2 2s.9 2 2 2 2-.9 2-2-.9-2-2-2z",
    ),
    (
        "moreVert",
        "More options",
        "M12 8c1.1 0 2-.9 2-2s-.9-2-2-2-2 .9-2 2 .9 2 2 2zm0 2c-1.1 0-2 .9-2 2s.9 2 2 2 2-.9 2-2-.9-2-2-2zm0 6c-1.1 0-2 .9-2 2s.9 2 2 2 2-.9 2-2-.9-2-2-2z",
    ),
    (
        "notifications",
        "Notifications",
        "M12 22c1.1 0 2-.9 2-2h-4c0 1.1.89 2 2 2zm6-6v-5c0-3.07-1.64-5.64-4.5-6.32V4c0-.83-.67-1.5-1.5-1.5s-1.5.67-1.5 1.5v.68C7.63 5.36 6 7.92 6 11v5l-2 2v1h16v-1l-2-2z",
    ),
    (
        "notificationsOff",
        "Notifications off",
        "M12 22c1.1 0 2-.9 2-2h-4c0 1.1.89 2 2 2zm6-6v-5c0-3.07-1.64-5.64-4.5-6.32V4c0-.83-.67-1.5-1.5-1.5s-1.5.67-1.5 1.5v.68L18 16zM3 4.3L4.3 3 21 19.7 19.7 21 17.7 19H4v-1l2-2v-5c0-1 .2-1.9.5-2.7L3 4.3z",
    ),
    ("pause", "Pause", "M6 19h4V5H6v14zm8-14v14h4V5h-4z"),
    (
        "payment",
        "Payment",
        "M20 4H4c-1.11 0-1.99.89-1.99 2L2 18c0 1.11.89 2 2 2h16c1.11 0 2-.89 2-2V6c0-1.11-.89-2-2-2zm0 14H4v-6h16v6zm0-10H4V6h16v2z",
    ),
    (
        "person",
        "Person",
        "M12 12c2.21 0 4-1.79 4-4s-1.79-4-4-4-4 1.79-4 4 1.79 4 4 4zm0 2c-2.67 0-8 1.34-8 4v2h16v-2c0-2.66-5.33-4-8-4z",
    ),
    (
        "phone",
        "Phone",
        "M6.62 10.79c1.44 2.83 3.76 5.14 6.59 6.59l2.2-2.2c.27-.27.67-.36 1.02-.24 1.12.37 2.33.57 3.57.57.55 0 1 .45 1 1V20c0 .55-.45 1-1 1-9.39 0-17-7.61-17-17 0-.55.45-1 1-1h3.5c.55 0 1 .45 1 1 0 1.25.2 2.45.57 3.57.11.35.03.74-.25 1.02l-2.2 2.2z",
    ),
    (
        "photo",
        "Photo",
        "M21 19V5c0-1.1-.9-2-2-2H5c-1.1 0-2 .9-2 2v14c0 1.1.9 2 2 2h14c1.1 0 2-.9 2-2zM8.5 13.5l2.5 3.01L14.5 12l4.5 6H5l3.5-4.5z",
    ),
    ("play", "Play", "M8 5v14l11-7z"),
    (
        "print",
        "Print",
        "M19 8H5c-1.66 0-3 1.34-3 3v6h4v4h12v-4h4v-6c0-1.66-1.34-3-3-3zm-3 11H8v-5h8v5zM18 3H6v4h12V3z",
    ),
    (
        "refresh",
        "Refresh",
        "M17.65 6.35C16.2 4.9 14.21 4 12 4c-4.42 0-7.99 3.58-7.99 8s3.57 8 7.99 8c3.73 0 6.84-2.55 7.73-6h-2.08c-.82 2.33-3.04 4-5.65 4-3.31 0-6-2.69-6-6s2.69-6 6-6c1.66 0 3.14.69 4.22 1.78L13 11h7V4l-2.35 2.35z",
    ),
    ("remove", "Less", "M19 13H5v-2h14v2z"),
    (
        "rewind",
        "Rewind",
        "M11 18V6l-8.5 6 8.5 6zm.5-6l8.5 6V6l-8.5 6z",
    ),
    (
        "search",
        "Search",
        "M15.5 14h-.79l-.28-.27C15.41 12.59 16 11.11 16 9.5 16 5.91 13.09 3 9.5 3S3 5.91 3 9.5 5.91 16 9.5 16c1.61 0 3.09-.59 4.23-1.57l.27.28v.79l5 4.99L20.49 19l-4.99-5zm-6 0C7.01 14 5 11.99 5 9.5S7.01 5 9.5 5 14 7.01 14 9.5 11.99 14 9.5 14z",
    ),
    ("send", "Send", "M2.01 21L23 12 2.01 3 2 10l15 2-15 2z"),
    (
        "settings",
        "Settings",
        "M19.14 12.94c.04-.3.06-.61.06-.94 0-.32-.02-.64-.07-.94l2.03-1.58c.18-.14.23-.41.12-.61l-1.92-3.32c-.12-.22-.37-.29-.59-.22l-2.39.96c-.5-.38-1.03-.7-1.62-.94l-.36-2.54c-.04-.24-.24-.41-.48-.41h-3.84c-.24 0-.43.17-.47.41l-.36 2.54c-.59.24-1.13.57-1.62.94l-2.39-.96c-.22-.08-.47 0-.59.22L2.74 8.87c-.12.21-.08.47.12.61l2.03 1.58c-.05.3-.09.63-.09.94s.02.64.07.94l-2.03 1.58c-.18.14-.23.41-.12.61l1.92 3.32c.12.22.37.29.59.22l2.39-.96c.5.38 1.03.7 1.62.94l.36 2.54c.05.24.24.41.48.41h3.84c.24 0 .44-.17.47-.41l.36-2.54c.59-.24 1.13-.56 1.62-.94l2.39.96c.22.08.47 0 .59-.22l1.92-3.32c.12-.22.07-.47-.12-.61l-2.01-1.58zM12 15.6c-1.98 0-3.6-1.62-3.6-3.6s1.62-3.6 3.6-3.6 3.6 1.62 3.6 3.6-1.62 3.6-3.6 3.6z",
    ),
    (
        "share",
        "Share",
        "M18 16.08c-.76 0-1.44.3-1.96.77L8.91 12.7c.05-.23.09-.46.09-.7s-.04-.47-.09-.7l7.05-4.11c.54.5 1.25.81 2.04.81 1.66 0 3-1.34 3-3s-1.34-3-3-3-3 1.34-3 3c0 .24.04.47.09.7L8.04 9.81C7.5 9.31 6.79 9 6 9c-1.66 0-3 1.34-3 3s1.34 3 3 3c.79 0 1.5-.31 2.04-.81l7.12 4.16c-.05.21-.08.43-.08.65 0 1.61 1.31 2.92 2.92 2.92 1.61 0 2.92-1.31 2.92-2.92s-1.31-2.92-2.92-2.92z",
    ),
    (
        "shoppingCart",
        "Cart",
        "M7 18c-1.1 0-1.99.9-1.99 2S5.9 22 7 22s2-.9 2-2-.9-2-2-2zM1 2v2h2l3.6 7.59-1.35 2.45c-.16.28-.25.61-.25.96 0 1.1.9 2 2 2h12v-2H7.42c-.14 0-.25-.11-.25-.25l.03-.12.9-1.63h7.45c.75 0 1.41-.41 1.75-1.03l3.58-6.49c.08-.14.12-.31.12-.48 0-.55-.45-1-1-1H5.21l-.94-2H1zm16 16c-1.1 0-1.99.9-1.99 2s.89 2 1.99 2 2-.9 2-2-.9-2-2-2z",
    ),
    ("skipNext", "Next", "M6 18l8.5-6L6 6v12zM16 6v12h2V6h-2z"),
    ("skipPrevious", "Previous", "M6 6h2v12H6zm3.5 6l8.5 6V6z"),
    (
        "star",
        "Star",
        "M12 17.27L18.18 21l-1.64-7.03L22 9.24l-7.19-.61L12 2 9.19 8.63 2 9.24l5.46 4.73L5.82 21z",
    ),
    (
        "starHalf",
        "Half star",
        "M22 9.24l-7.19-.62L12 2 9.19 8.63 2 9.24l5.46 4.73L5.82 21 12 17.27 18.18 21l-1.63-7.03L22 9.24zM12 15.4V6.1l1.71 4.04 4.38.38-3.32 2.88 1 4.28L12 15.4z",
    ),
    (
        "starOff",
        "No star",
        "M22 9.24l-7.19-.62L12 2 9.19 8.63 2 9.24l5.46 4.73L5.82 21 12 17.27 18.18 21l-1.63-7.03L22 9.24zM12 15.4l-3.76 2.27 1-4.28-3.32-2.88 4.38-.38L12 6.1l1.71 4.04 4.38.38-3.32 2.88 1 4.28L12 15.4z",
    ),
    ("stop", "Stop", "M6 6h12v12H6z"),
    ("upload", "Upload", "M9 16h6v-6h4l-7-7-7 7h4zm-4 2h14v2H5z"),
    (
        "visibility",
        "Show",
        "M12 4.5C7 4.5 2.73 7.61 1 12c1.73 4.39 6 7.5 11 7.5s9.27-3.11 11-7.5c-1.73-4.39-6-7.5-11-7.5zM12 17c-2.76 0-5-2.24-5-5s2.24-5 5-5 5 2.24 5 5-2.24 5-5 5zm0-8c-1.66 0-3 1.34-3 3s1.34 3 3 3 3-1.34 3-3-1.34-3-3-3z",
    ),
    (
        "visibilityOff",
        "Hide",
        "M12 4.5C7 4.5 2.73 7.61 1 12c.9 2.2 2.4 4.1 4.3 5.4L3 19.7 4.3 21 21 4.3 19.7 3l-3 3C15.300 5 13.700 4.500 12 4.500zM19 8l-9 9.700c.6.1 1.300.2 2 .2 5 0 9.270-3.110 11-7.500C22.100 9.900 20.700 8.700 19 8z",
    ),
    (
        "volumeDown",
        "Volume down",
        "M18.5 12c0-1.77-1.02-3.29-2.5-4.03v8.05c1.48-.73 2.500-2.250 2.500-4.020zM5 9v6h4l5 5V4L9 9H5z",
    ),
    ("volumeMute", "Mute", "M7 9v6h4l5 5V4l-5 5H7z"),
    (
        "volumeOff",
        "Volume off",
        "M3 9v6h4l5 5V4L7 9H3zm18 .4L19.600 8 17.500 10.100 15.400 8 14 9.400 16.100 11.500 14 13.600 15.400 15 17.500 12.900 19.600 15 21 13.600 18.900 11.500z",
    ),
    (
        "volumeUp",
        "Volume up",
        "M3 9v6h4l5 5V4L7 9H3zm13.500 3c0-1.770-1.020-3.290-2.500-4.030v8.050c1.480-.730 2.500-2.250 2.500-4.020zM14 3.230v2.060c2.890.860 5 3.540 5 6.710s-2.110 5.850-5 6.710v2.060c4.010-.910 7-4.490 7-8.770s-2.990-7.860-7-8.770z",
    ),
    (
        "warning",
        "Warning",
        "M1 21h22L12 2 1 21zm12-3h-2v-2h2v2zm0-4h-2v-4h2v4z",
    ),
];

pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    ICONS.iter().map(|icon| icon.0)
}

/// Returns true if the catalogue has an icon of this name, in exactly this case.
pub(crate) fn is_known(name: &str) -> bool {
    ICONS.iter().any(|icon| icon.0 == name)
}

/// Returns the text that a screen reader says for an icon. An unknown icon has its name.
pub(crate) fn spoken(name: &str) -> &str {
    ICONS
        .iter()
        .find(|icon| icon.0 == name)
        .map_or(name, |icon| icon.1)
}

/// Returns the shape of a catalogue icon, and a crossed-out frame for an unknown name. Returns `None` only if the data
/// cannot be parsed.
pub(super) fn shape(name: &str) -> Option<Path> {
    let data = ICONS
        .iter()
        .find(|icon| icon.0 == name)
        .map_or(FRAME, |icon| icon.2);
    parse(data)
}

/// Parses SVG path data. Arcs become straight lines. The shape ends at the first error, such as `T` or a number with an
/// exponent, and what was read before is returned. Returns `None` if that is nothing.
pub(super) fn parse(data: &str) -> Option<Path> {
    let mut reader = Reader {
        rest: data,
        path: PathBuilder::new(),
        at: (0.0, 0.0),
        begin: (0.0, 0.0),
        control: None,
    };
    let mut command = ' ';
    loop {
        reader.skip();
        let Some(next) = reader.rest.chars().next() else {
            break;
        };
        if next.is_ascii_alphabetic() {
            command = next;
            reader.rest = reader.rest.get(1..).unwrap_or_default();
        }
        if reader.step(command).is_none() {
            break;
        }
        // Further pairs after a move are lines.
        command = match command {
            'M' => 'L',
            'm' => 'l',
            // After a `z` only a letter is valid.
            'z' | 'Z' => ' ',
            same => same,
        };
    }
    reader.path.finish()
}

struct Reader<'a> {
    rest: &'a str,
    path: PathBuilder,
    at: (f32, f32),
    begin: (f32, f32),
    /// The second control point of the command before, if that was a cubic curve. Smooth curves mirror it.
    control: Option<(f32, f32)>,
}

impl Reader<'_> {
    fn skip(&mut self) {
        self.rest = self
            .rest
            .trim_start_matches(|c: char| c.is_ascii_whitespace() || c == ',');
    }

    /// Reads a number without an exponent, behind spaces and commas. Returns `None`, having skipped only those, if
    /// none is next.
    fn number(&mut self) -> Option<f32> {
        self.skip();
        let mut dot = false;
        let mut end = 0;
        for (index, letter) in self.rest.char_indices() {
            match letter {
                '0'..='9' => {}
                '-' | '+' if index == 0 => {}
                '.' if !dot => dot = true,
                _ => break,
            }
            end = index + 1;
        }
        let value = self.rest.get(..end)?.parse().ok()?;
        self.rest = self.rest.get(end..)?;
        Some(value)
    }

    /// Reads a point, `relative` to the current one or not. Returns `None` if one of its numbers is missing.
    fn point(&mut self, relative: bool) -> Option<(f32, f32)> {
        let (x, y) = (self.number()?, self.number()?);
        Some(if relative {
            (self.at.0 + x, self.at.1 + y)
        } else {
            (x, y)
        })
    }

    fn line(&mut self, to: (f32, f32)) {
        self.path.line_to(to.0, to.1);
        self.at = to;
    }

    /// Draws one command with its numbers; an arc becomes a line to its end. Returns `None`, having drawn nothing, for
    /// an unknown command or missing numbers.
    fn step(&mut self, command: char) -> Option<()> {
        let relative = command.is_ascii_lowercase();
        let mut control = None;
        match command.to_ascii_uppercase() {
            'M' => {
                let to = self.point(relative)?;
                self.path.move_to(to.0, to.1);
                (self.at, self.begin) = (to, to);
            }
            'L' => {
                let to = self.point(relative)?;
                self.line(to);
            }
            'H' => {
                let x = self.number()? + if relative { self.at.0 } else { 0.0 };
                self.line((x, self.at.1));
            }
            'V' => {
                let y = self.number()? + if relative { self.at.1 } else { 0.0 };
                self.line((self.at.0, y));
            }
            kind @ ('C' | 'S') => {
                let first = if kind == 'C' {
                    self.point(relative)?
                } else {
                    let (x, y) = self.control.unwrap_or(self.at);
                    (2.0 * self.at.0 - x, 2.0 * self.at.1 - y)
                };
                let first = if kind == 'S' && self.control.is_none() {
                    self.at
                } else {
                    first
                };
                let (second, to) = (self.point(relative)?, self.point(relative)?);
                self.path
                    .cubic_to(first.0, first.1, second.0, second.1, to.0, to.1);
                control = Some(second);
                self.at = to;
            }
            'Q' => {
                let (middle, to) = (self.point(relative)?, self.point(relative)?);
                self.path.quad_to(middle.0, middle.1, to.0, to.1);
                self.at = to;
            }
            'A' => {
                for _ in 0..5 {
                    self.number()?;
                }
                let to = self.point(relative)?;
                self.line(to);
            }
            'Z' => {
                self.path.close();
                self.at = self.begin;
            }
            _ => return None,
        }
        self.control = control;
        Some(())
    }
}
