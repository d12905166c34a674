//! Colours, light and dark.

/// A colour whose parts are not premultiplied with its alpha.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Colour {
    pub red: u8,
    pub green: u8,
    pub blue: u8,
    pub alpha: u8,
}

impl Colour {
    /// Makes an opaque colour from `0xRRGGBB`.
    pub const fn rgb(hex: u32) -> Self {
        Self {
            red: (hex >> 16) as u8,
            green: (hex >> 8) as u8,
            blue: hex as u8,
            alpha: 255,
        }
    }

    /// Parses `#RRGGBB`. Returns `None` for any other form, such as `#RGB`.
    pub fn parse(text: &str) -> Option<Self> {
        let digits = text.strip_prefix('#').filter(|digits| digits.len() == 6)?;
        u32::from_str_radix(digits, 16).ok().map(Self::rgb)
    }

    /// Returns the colour with another alpha.
    #[must_use]
    pub const fn with_alpha(mut self, alpha: u8) -> Self {
        self.alpha = alpha;
        self
    }

    /// Mixes two colours, with `share`/255 of the other. The result is opaque, whatever their transparency.
    #[must_use]
    pub fn mix(self, other: Self, share: u8) -> Self {
        let between = |a: u8, b: u8| {
            let (a, b, s) = (u32::from(a), u32::from(b), u32::from(share));
            ((a * (255 - s) + b * s) / 255) as u8
        };
        Self {
            red: between(self.red, other.red),
            green: between(self.green, other.green),
            blue: between(self.blue, other.blue),
            alpha: 255,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Theme {
    pub dark: bool,
    pub primary: Colour,
    pub on_primary: Colour,
    pub background: Colour,
    pub surface: Colour,
    pub text: Colour,
    pub faint: Colour,
    pub line: Colour,
    pub error: Colour,
    pub chip: Colour,
}

impl Theme {
    /// Returns the colours of the light or the dark theme, around an app's own colour, which the dark theme makes
    /// lighter. Without such a colour it is blue.
    pub fn new(dark: bool, primary: Option<Colour>) -> Self {
        let seed = primary.unwrap_or(Colour::rgb(0x00_3F_6D_B5));
        if dark {
            let primary = seed.mix(Colour::rgb(0x00_FF_FF_FF), 110);
            Self {
                dark,
                primary,
                on_primary: Colour::rgb(0x00_12_18_22),
                background: Colour::rgb(0x00_12_14_18),
                surface: Colour::rgb(0x00_1E_21_27),
                text: Colour::rgb(0x00_E3_E5_EA),
                faint: Colour::rgb(0x00_A3_A8_B2),
                line: Colour::rgb(0x00_3B_3F_48),
                error: Colour::rgb(0x00_F2_8B_82),
                chip: Colour::rgb(0x00_2B_30_39),
            }
        } else {
            Self {
                dark,
                primary: seed,
                on_primary: Colour::rgb(0x00_FF_FF_FF),
                background: Colour::rgb(0x00_F5_F6_FA),
                surface: Colour::rgb(0x00_FF_FF_FF),
                text: Colour::rgb(0x00_1B_1D_22),
                faint: Colour::rgb(0x00_5D_63_6E),
                line: Colour::rgb(0x00_D5_D9_E1),
                error: Colour::rgb(0x00_B3_26_1E),
                chip: Colour::rgb(0x00_E8_EC_F4),
            }
        }
    }
}
